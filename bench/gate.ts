import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChildServer, cpuOf, startServer } from './child-server.ts';
import { load, post } from './load.ts';
import { unlimited } from './unlimited.ts';

// What the screen and the gate cost a store: two servers that differ in HELMDECK_GATE, measured in turns.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '11' },
    connections: { type: 'string', default: '64' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const VALUE =
  'I always deploy via Konflux, never by hand with kubectl, and I want a ticket in the commit message.';
const MODES = ['open', 'guarded'] as const;
type Mode = (typeof MODES)[number];

const folder = mkdtempSync(join(options.folder, 'helmdeck-bench-gate-'));
const servers = new Map<Mode, ChildServer>();
process.on('exit', () => {
  for (const { child } of servers.values()) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

for (const mode of MODES) {
  const env = { ...unlimited(folder), HELMDECK_DB: join(folder, `${mode}.db`), HELMDECK_GATE: mode };
  servers.set(mode, await startServer('./helmdeck-server.ts', env));
}

/** Microseconds of wall clock and of CPU per store, while the other server is suspended. */
async function measure(mode: Mode): Promise<{ us: number; cpuUs: number }> {
  const server = servers.get(mode)!;
  const others = [...servers.values()].filter((other) => other !== server);
  for (const { child } of others) child.kill('SIGSTOP');
  const make = (number: number) =>
    post('/api/v1/memory/store', JSON.stringify({ key: `bench/${number}`, value: VALUE }), server.token);
  const before = await cpuOf(server);
  const seconds = Number(options.seconds);
  const { perSecond } = await load(server.url, Number(options.connections), seconds, make);
  const cpuUs = ((await cpuOf(server)) - before) / (perSecond * seconds);
  for (const { child } of others) child.kill('SIGCONT');
  execFileSync('sync');
  return { us: 1e6 / perSecond, cpuUs };
}

const rounds: Record<Mode, { us: number; cpuUs: number }>[] = [];
for (let round = 0; round <= Number(options.rounds); round++) {
  // The second server of a round may find the machine warmer.
  const order = round % 2 === 0 ? MODES : MODES.toReversed();
  const result = {} as Record<Mode, { us: number; cpuUs: number }>;
  for (const mode of order) result[mode] = await measure(mode);
  if (round > 0) rounds.push(result); // the first warms up
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const round1 = (number: number) => Math.round(number * 10) / 10;
console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}`);
console.table(
  Object.fromEntries(
    (['us', 'cpuUs'] as const).map((unit) => [
      unit === 'us' ? 'µs per store' : 'µs of CPU per store',
      {
        ...Object.fromEntries(MODES.map((mode) => [mode, round1(median(rounds.map((r) => r[mode][unit])))])),
        'more with the gate': `${round1(100 * (median(rounds.map((r) => r.guarded[unit] / r.open[unit])) - 1))} %`,
      },
    ]),
  ),
);
process.exit(0);
