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

// Everything is measured in one run and reported as a ratio: the machine may be shared and noisy, a ratio is less so.

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
/** A checkpoint comes a second after the last commit. */
const SETTLE_MS = 1_500;
const TURNS = 11;
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-'));

const round2 = (number: number) => Math.round(number * 100) / 100;
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const storeBody = (number: number) =>
  JSON.stringify({ key: `bench/${String(number).padStart(9, '0')}`, value: VALUE });

/** What the disk can do at best: small appends, each made durable. How many a second, for a second. */
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
const least = await startServer('./least-server.ts', { HELMDECK_DB: join(folder, 'least.db') });
const helmdeck = await startServer('./helmdeck-server.ts', unlimited(folder));
const { token } = helmdeck;
const servers = [bare, least, helmdeck];
process.on('exit', () => {
  for (const { child } of servers) child.kill('SIGKILL'); // also one that is stopped
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Measures one server, or none, while the others are stopped: what they put off is not to take its processor. */
async function alone<T>(measured: ChildServer | undefined, work: () => T | Promise<T>): Promise<T> {
  const others = servers.filter((server) => server !== measured);
  for (const { child } of others) child.kill('SIGSTOP');
  try {
    return await work();
  } finally {
    for (const { child } of others) child.kill('SIGCONT');
  }
}

const under = (server: ChildServer, connections: number, forSeconds: number, make: RequestMaker) =>
  alone(server, () => load(server.url, connections, forSeconds, make));
const stores = (connections: number, forSeconds: number) =>
  under(helmdeck, connections, forSeconds, (n) => post('/api/v1/memory/store', storeBody(n), token));
const calls = {
  'bare POST': (c: number) => under(bare, c, seconds, (n) => post('/bare', storeBody(n), token)),
  store: (c: number) => stores(c, seconds),
  'least store': (c: number) => under(least, c, seconds, (n) => post('/least', storeBody(n), token)),
  'bare GET': (c: number) => under(bare, c, seconds, () => get('/bare', token)),
  get: (c: number) =>
    under(helmdeck, c, seconds, (n) => get(`/api/v1/memory/facts/fill%2F${n % 1000}`, token)),
};
type Call = keyof typeof calls;
const ALL_CALLS = Object.keys(calls) as Call[];

/** Fills the memory up to so many rows. */
async function fill(rows: number): Promise<void> {
  helmdeck.child.send({ rows });
  await once(helmdeck.child, 'message');
  await settled();
}

/** Waits until search and the disk have taken in what was stored: both are work that is left for later. */
async function settled(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${helmdeck.url}/api/v1/memory/search?q=ordinary`, { headers });
  await delay(SETTLE_MS);
  execFileSync('sync');
}

/**
 * Runs the calls in turn, several rounds. A figure is the median of all rounds; a ratio is taken within each round, of
 * two turns that are seconds apart, and is the median of those: noise hits both alike.
 */
async function measure(names: readonly Call[], connections: number) {
  const turns: Record<string, LoadResult>[] = [];
  for (let round = 0; round < rounds; round++) {
    const turn: Record<string, LoadResult> = {};
    for (const name of names) {
      turn[name] = await calls[name](connections);
      if (name.endsWith('store')) await settled();
    }
    turns.push(turn);
  }
  return {
    figure: (name: Call, what: keyof LoadResult = 'perSecond') =>
      median(turns.map((turn) => turn[name]![what])),
    ratio: (name: Call, to: Call) =>
      round2(median(turns.map((turn) => turn[name]!.perSecond / turn[to]!.perSecond))),
  };
}

/** One connection and the disk alone, in short turns: what slows the one a moment later slows the other. */
async function loneStores() {
  const turns: { raw: number; stored: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const raw = await alone(undefined, rawAppends);
    turns.push({ raw, stored: (await stores(1, seconds)).perSecond });
    await settled();
  }
  const raw = median(turns.map((turn) => turn.raw));
  const stored = median(turns.map((turn) => turn.stored));
  return { raw, stored, ratio: median(turns.map((turn) => turn.stored / turn.raw)) };
}

await fill(1000);
for (const name of ALL_CALLS) await calls[name](16); // warm-up
await settled();
console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}\n`);

const lone = await loneStores();
console.log(
  `one connection: ${Math.round(lone.stored)} durable stores/s, raw fdatasync appends ${Math.round(lone.raw)}/s, ratio ${round2(lone.ratio)}`,
);
const table = [];
for (const connections of [1, 16, 64]) {
  const { figure, ratio } = await measure(ALL_CALLS, connections);
  table.push({
    connections,
    'bare POST/s': Math.round(figure('bare POST')),
    'least store/s': Math.round(figure('least store')),
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
  ['store at 64 connections against bare POST', last['store ratio'], 0.33, 0.45],
  ['get at 64 connections against bare GET', last['get ratio'], 0.2, 0.3],
  ['one connection against raw fdatasync', round2(lone.ratio), 0.35, 0.5],
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
