import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { namespaceKeys, open, rowId, seal } from '../packages/helmdeck/src/memory/crypto/sealed.ts';
import { type ChildServer, startServer } from './child-server.ts';
import { get, type LoadResult, load, post, type RequestMaker } from './load.ts';
import { unlimited } from './unlimited.ts';

// Helmdeck and the baselines are measured in one run and compared as ratios, which vary less than absolute figures on a
// shared machine.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '7' },
    rows: { type: 'string', default: '1000000' },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const VALUE =
  'I always deploy via Konflux, never by hand with kubectl, and I want a ticket in the commit message.';
/** Longer than the second between the last commit and the checkpoint. */
const CHECKPOINT_WAIT_MS = 1_500;
const SINGLE_CONNECTION_ROUNDS = 11;
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-'));

const round2 = (number: number) => Math.round(number * 100) / 100;
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const storeBody = (number: number) =>
  JSON.stringify({ key: `bench/${String(number).padStart(9, '0')}`, value: VALUE });

/** Upper bound of the disk: appends of 512 bytes with an fdatasync each, per second, measured for a second. */
function rawAppends(): number {
  const fd = openSync(join(folder, 'raw'), 'a');
  const record = Buffer.alloc(512, 1);
  const startMs = performance.now();
  let count = 0;
  for (; performance.now() - startMs < 1000; count++) {
    writeSync(fd, record);
    fdatasyncSync(fd);
  }
  closeSync(fd);
  return (count * 1000) / (performance.now() - startMs);
}

function sealingCost(): { sealUs: number; openUs: number } {
  const keys = namespaceKeys(Buffer.alloc(16, 1), 1, Buffer.alloc(32, 2));
  const content = { key: 'bench/1', value: VALUE, category: 'user_facts', tags: ['deploy'], version: 1 };
  const times = { createdMs: 1, updatedMs: 1, expiresMs: 2 };
  const make = () =>
    seal(keys, { id: rowId(keys, 'fact', 'bench/1'), kind: 'fact', group: null, rev: 1, ...times }, content);
  const each = (work: () => unknown) => {
    for (let warm = 0; warm < 20_000; warm++) work();
    const startMs = performance.now();
    for (let count = 0; count < 100_000; count++) work();
    return (performance.now() - startMs) / 100;
  };
  const row = { ...make(), seq: 1 };
  return { sealUs: each(make), openUs: each(() => open(keys, row)) };
}

const bare = await startServer('./bare-server.ts');
const minimal = await startServer('./minimal-server.ts', { HELMDECK_DB: join(folder, 'minimal.db') });
const helmdeck = await startServer('./helmdeck-server.ts', unlimited(folder));
const { token } = helmdeck;
const servers = [bare, minimal, helmdeck];
process.on('exit', () => {
  for (const { child } of servers) child.kill('SIGKILL'); // also ends a process stopped by SIGSTOP
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Measures one server, or none, while the others are suspended, so that their background work takes no CPU time. */
async function withOthersSuspended<T>(
  measured: ChildServer | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  const others = servers.filter((server) => server !== measured);
  for (const { child } of others) child.kill('SIGSTOP');
  try {
    return await work();
  } finally {
    for (const { child } of others) child.kill('SIGCONT');
  }
}

const loadOn = (server: ChildServer, connections: number, forSeconds: number, make: RequestMaker) =>
  withOthersSuspended(server, () => load(server.url, connections, forSeconds, make));
const stores = (connections: number, forSeconds: number) =>
  loadOn(helmdeck, connections, forSeconds, (n) => post('/api/v1/memory/store', storeBody(n), token));
const calls = {
  'bare POST': (c: number) => loadOn(bare, c, seconds, (n) => post('/bare', storeBody(n), token)),
  store: (c: number) => stores(c, seconds),
  'minimal store': (c: number) => loadOn(minimal, c, seconds, (n) => post('/minimal', storeBody(n), token)),
  'bare GET': (c: number) => loadOn(bare, c, seconds, () => get('/bare', token)),
  get: (c: number) =>
    loadOn(helmdeck, c, seconds, (n) => get(`/api/v1/memory/facts/fill%2F${n % 1000}`, token)),
};
type Call = keyof typeof calls;
const ALL_CALLS = Object.keys(calls) as Call[];

/** Fills the memory up to `rows` facts. */
async function fill(rows: number): Promise<void> {
  helmdeck.child.send({ rows });
  await once(helmdeck.child, 'message');
  await waitForBackgroundWork();
}

/** Waits for the work that stores defer: indexing (done by the next search), the checkpoint and the disk cache. */
async function waitForBackgroundWork(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${helmdeck.url}/api/v1/memory/search?q=ordinary`, { headers });
  await delay(CHECKPOINT_WAIT_MS);
  execFileSync('sync');
}

/**
 * Runs the calls one after another, several rounds. A figure is the median of all rounds. A ratio is computed within
 * each round, from two measurements a few seconds apart, so that noise hits both, and then the median is taken.
 */
async function measure(names: readonly Call[], connections: number) {
  const results: Record<string, LoadResult>[] = [];
  for (let round = 0; round < rounds; round++) {
    const result: Record<string, LoadResult> = {};
    for (const name of names) {
      result[name] = await calls[name](connections);
      if (name.endsWith('store')) await waitForBackgroundWork();
    }
    results.push(result);
  }
  return {
    figure: (name: Call, what: keyof LoadResult = 'perSecond') =>
      median(results.map((result) => result[name]![what])),
    ratio: (name: Call, to: Call) =>
      round2(median(results.map((result) => result[name]!.perSecond / result[to]!.perSecond))),
  };
}

/** Alternates between stores on one connection and raw appends, so that noise hits both. */
async function singleConnectionStores() {
  const results: { raw: number; stored: number }[] = [];
  for (let round = 0; round < SINGLE_CONNECTION_ROUNDS; round++) {
    const raw = await withOthersSuspended(undefined, rawAppends);
    results.push({ raw, stored: (await stores(1, seconds)).perSecond });
    await waitForBackgroundWork();
  }
  const raw = median(results.map((result) => result.raw));
  const stored = median(results.map((result) => result.stored));
  return { raw, stored, ratio: median(results.map((result) => result.stored / result.raw)) };
}

await fill(1000);
for (const name of ALL_CALLS) await calls[name](16); // warm-up
await waitForBackgroundWork();
console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}\n`);

const single = await singleConnectionStores();
console.log(
  `one connection: ${Math.round(single.stored)} durable stores/s, raw fdatasync appends ${Math.round(single.raw)}/s, ratio ${round2(single.ratio)}`,
);
const table = [];
for (const connections of [1, 16, 64]) {
  const { figure, ratio } = await measure(ALL_CALLS, connections);
  table.push({
    connections,
    'bare POST/s': Math.round(figure('bare POST')),
    'minimal store/s': Math.round(figure('minimal store')),
    'store/s': Math.round(figure('store')),
    'store p50 ms': round2(figure('store', 'p50Ms')),
    'store p99 ms': round2(figure('store', 'p99Ms')),
    'store ratio': ratio('store', 'bare POST'),
    'bare GET/s': Math.round(figure('bare GET')),
    'get/s': Math.round(figure('get')),
    'get p99 ms': round2(figure('get', 'p99Ms')),
    'get ratio': ratio('get', 'bare GET'),
  });
}
console.table(table);
const { sealUs, openUs } = sealingCost();
console.log(`sealing a row ${round2(sealUs)} µs, opening it ${round2(openUs)} µs\n`);

const growth = [];
for (let rows = 1000; rows <= Number(options.rows); rows *= 10) {
  await fill(rows);
  const { figure, ratio } = await measure(['bare POST', 'store', 'bare GET', 'get'], 64);
  growth.push({
    rows,
    'store/s': Math.round(figure('store')),
    'store ratio': ratio('store', 'bare POST'),
    'get/s': Math.round(figure('get')),
    'get ratio': ratio('get', 'bare GET'),
  });
}
console.log('64 connections as the memory grows:');
console.table(growth);

const last = table.at(-1)!;
const gates = [
  ['store at 64 connections against bare POST', last['store ratio'], 0.4, 0.45],
  ['get at 64 connections against bare GET', last['get ratio'], 0.4, 0.5],
] as const;
console.table(
  gates.map(([what, ratio, gate, aim]) => ({
    what,
    ratio,
    gate,
    aim,
    verdict: ratio >= aim ? 'aim reached' : ratio >= gate ? 'gate passed' : 'MISSED',
  })),
);
process.exit(gates.every(([, ratio, gate]) => ratio >= gate) ? 0 : 1);
