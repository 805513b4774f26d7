import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crashRounds } from '../test/faults/crash-rounds.ts';
import { powerCutRounds } from '../test/faults/disk/power-cut-rounds.ts';
import { compileDiskShim } from '../test/faults/disk/shimmed-disk.ts';
import { checkLinearizability } from '../test/faults/linearizability/record-history.ts';
import { startPostgres } from '../test/support/services/postgres.ts';
import { startRedis } from '../test/support/services/redis.ts';

// `npm run fault-test -- [power cuts] [kills]`: power cuts and failed syncs, kill -9, linearizability on three databases,
// and the isolation of callers. Stops within 15 minutes, whatever is left to do.

const [powerCuts = 60, kills = 40] = process.argv.slice(2).map(Number);
if (![powerCuts, kills].every(Number.isInteger)) {
  console.error('usage: npm run fault-test -- [power cuts] [kills]');
  process.exit(2);
}
const LIMIT_MS = 15 * 60_000;
/** Kept for the parts after the power cuts. */
const OTHER_PARTS_MS = 4 * 60_000;
const LINEARIZABILITY_MS = 30_000;

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-faults-'));
let problems = 0;

function report(part: string, figures: string, found: readonly string[]): void {
  problems += found.length;
  console.log(`${part}: ${figures}; ${found.length} problems`);
  for (const problem of found.slice(0, 20)) console.error(`  ${problem}`);
}

async function cutPower(): Promise<void> {
  const library = compileDiskShim(folder);
  if (library === undefined) return console.log('power cuts: skipped, there is no C compiler');
  const result = await powerCutRounds(
    library,
    folder,
    powerCuts,
    () => performance.now() < LIMIT_MS - OTHER_PARTS_MS,
  );
  const { rounds, acknowledged, failedSyncs } = result;
  report(
    'power cuts',
    `${rounds} cuts, ${failedSyncs} of them after a failed sync, ${acknowledged} acknowledged writes`,
    result.problems,
  );
}

async function kill(): Promise<void> {
  const result = await crashRounds(join(folder, 'crash.db'), kills);
  report('kill -9', `${result.rounds} kills, ${result.acknowledged} acknowledged writes`, result.problems);
}

async function linearizability(): Promise<void> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const databases: [string, string | undefined, number][] = [
    ['SQLite', join(folder, 'linear.db'), 1],
    ['PostgreSQL, 2 nodes', typeof postgres === 'string' ? undefined : `${postgres.url()}?pool=4`, 2],
    ['Redis, 2 nodes', typeof redis === 'string' ? undefined : redis.url(), 2],
  ];
  for (const [name, db, nodes] of databases) {
    if (db === undefined) {
      console.log(`linearizability on ${name}: skipped, it is not installed`);
      continue;
    }
    const { operations, keys, violations } = await checkLinearizability(db, nodes, LINEARIZABILITY_MS);
    const found = violations.map((operationsAround) => operationsAround.join(' | '));
    report(`linearizability on ${name}`, `${operations} operations on ${keys} keys`, found);
  }
  for (const server of [postgres, redis]) if (typeof server !== 'string') await server.stop();
}

function isolation(): void {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const timeout = Math.max(1, Math.round(LIMIT_MS - performance.now()));
  const run = spawnSync(process.execPath, [vitest, 'run', 'test/properties/isolation'], {
    encoding: 'utf8',
    timeout,
  });
  const summary = /Tests\s+(.*)/.exec(run.stdout.replaceAll(/\u001b\[\d+m/g, ''))?.[1] ?? 'did not finish';
  report('isolation', summary, run.status === 0 ? [] : [run.stdout.slice(-2_000)]);
}

try {
  await cutPower();
  await kill();
  await linearizability();
  isolation();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${Math.round(performance.now() / 60_000)} minutes`);
process.exitCode = problems === 0 ? 0 : 1;
