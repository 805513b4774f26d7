import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { definePack } from '../packages/helmdeck/src/engine/pack/pack.ts';
import { runPack, testServer } from '../packages/helmdeck/src/testing/index.ts';

// Overhead of the engine compared with a bare handler, measured in one run as ratios and differences.

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '5' } },
});
const runs = Number(options.runs);
const rounds = Number(options.rounds);
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-engine-'));
let handlerCalls = 0;

const input = z.object({ title: z.string() });
const output = z.object({ said: z.string() });
const say = async ({ input: { title } }: { input: { title: string } }) => ({ said: title });
const shared = { version: 'v1', description: 'For the benchmark.', input, output };
const sayAfter10Ms = async (ec: { input: { title: string } }) => {
  handlerCalls++;
  await sleep(10);
  return say(ec);
};
const packs = [
  definePack({ ...shared, name: 'bench.noop', handler: say }),
  definePack({ ...shared, name: 'bench.silent', audit: false, handler: say }),
  definePack({ ...shared, name: 'bench.slow', handler: sayAfter10Ms }),
  definePack({
    ...shared,
    name: 'bench.cached',
    memory: { cache: { ttlSeconds: 600 } },
    session: true,
    handler: sayAfter10Ms,
  }),
];
const server = await testServer({
  packs,
  env: {
    HELMDECK_DB: join(folder, 'bench.db'),
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
  },
});
const title = { title: 'a title of some length' };
// As on a server, where a token's caller is the same object on every request.
const caller = { subject: 'ada' };
const call = (name: string, body: object = title) =>
  runPack(server, 'ada', `bench.${name}`, body, { caller });

/** Percentiles of single calls, one after another, in microseconds. */
async function measure(count: number, work: () => Promise<unknown>) {
  const times = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    await work();
    times[n] = (performance.now() - startMs) * 1000;
  }
  times.sort();
  return { p50: times[Math.floor(count / 2)]!, p99: times[Math.floor(count * 0.99)]! };
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const cases: Record<string, [number, () => Promise<unknown>]> = {
  'bare handler': [runs, () => say({ input: title })],
  'no-op pack': [runs, () => call('noop')],
  'no-op pack, no run record': [runs, () => call('silent')],
  'cache hit': [Math.ceil(runs / 4), () => call('cached')],
  '10 ms handler': [100, () => call('slow')],
};
for (const [, work] of Object.values(cases)) await measure(200, work);
const figures = new Map(
  Object.keys(cases).map((name) => [name, { p50: [] as number[], p99: [] as number[] }]),
);
for (let round = 0; round < rounds; round++) {
  for (const [name, [count, work]] of Object.entries(cases)) {
    const { p50, p99 } = await measure(count, work);
    figures.get(name)!.p50.push(p50);
    figures.get(name)!.p99.push(p99);
    await server.memory!.parts.pending.drain();
  }
}
const p50 = (name: string) => median(figures.get(name)!.p50);
const round1 = (number: number) => Math.round(number * 10) / 10;

// Simulates a disk that takes 50 ms per write: a call that waited for its run record would show here.
const { store } = server.memory!.parts;
const { apply } = store;
store.apply = async (...args) => {
  await sleep(50);
  return apply(...args);
};
const slowDisk = await measure(2_000, () => call('noop'));
store.apply = apply;
await server.memory!.parts.pending.drain();

handlerCalls = 0;
const concurrent = await Promise.all(
  Array.from({ length: 1_000 }, () => call('cached', { title: 'all at once' })),
);
const usage = await server.memory!.parts.store.usage(Date.now());

console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}`);
console.log(`SQLite on disk, memory on; median of ${rounds} rounds\n`);
console.table(
  Object.fromEntries(
    [...figures].map(([name, { p50: middle, p99 }]) => [
      name,
      { 'p50 µs': round1(median(middle)), 'p99 µs': round1(median(p99)) },
    ]),
  ),
);
const overhead = p50('no-op pack') - p50('bare handler');
const record = p50('no-op pack') - p50('no-op pack, no run record');
const ratio = p50('10 ms handler') / p50('cache hit');
const sessions = usage.filter(({ kind }) => kind === 'session').length;
console.log(`engine overhead of a no-op pack      ${round1(overhead)} µs p50 (target: at most 60)`);
console.log(`of it for the run record             ${round1(record)} µs p50 (its write is not awaited)`);
console.log(
  `the same while each write takes 50 ms ${round1(slowDisk.p50)} µs p50, ${round1(slowDisk.p99)} µs p99`,
);
console.log(`a cache hit is cheaper than 10 ms    ${round1(ratio)} times (target: at least 20)`);
console.log(`sessions left by cache hits          ${sessions} (target: 0)`);
console.log(
  `handler runs for 1,000 concurrent calls ${handlerCalls} (target: 1; results: ${concurrent.length})`,
);
await server.close();
rmSync(folder, { recursive: true, force: true });
const met = overhead <= 60 && slowDisk.p50 < 5_000 && ratio >= 20 && handlerCalls === 1 && sessions === 0;
console.log(met ? '\nAll targets are met.' : '\nNOT ALL TARGETS ARE MET.');
if (!met) process.exitCode = 1;
