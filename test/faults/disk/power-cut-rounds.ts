import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { trackWrites } from '../acknowledged-writes.ts';
import { type ChildServer, startChild } from '../child-server.ts';
import { copyDatabase, cutPower, dropPageCache, shimmedDisk } from './shimmed-disk.ts';

export interface PowerCutResult {
  rounds: number;
  acknowledged: number;
  /** Rounds in which a sync failed. */
  failedSyncs: number;
  problems: string[];
}

/** `serve` exits with this code after a failed sync. */
const STORE_STOPPED_EXIT_CODE = 74;
const MAX_WRITING_MS = 4_000;

/**
 * In each round: writes on a disk that loses what was not synced, cuts the power, and checks every acknowledged write.
 * In three of four rounds a sync fails first. Then the server must end by itself; in every second such round it starts
 * again before the cut, with or without the page cache of its predecessor, and acknowledges more.
 */
export async function powerCutRounds(
  library: string,
  folder: string,
  rounds: number,
  goOn: () => boolean = () => true,
): Promise<PowerCutResult> {
  const db = join(folder, 'power.db');
  const writes = trackWrites();
  const problems: string[] = [];
  let failedSyncs = 0;
  let round = 0;
  while (round < rounds && goOn()) {
    round++;
    const fails = round % 4 !== 0;
    const isCheckpoint = round % 12 === 5; // of the database file instead of the WAL
    const fail = fails
      ? isCheckpoint
        ? `db:${3 + (round % 3)}`
        : `wal:${4 + ((round * 7) % 40)}`
      : undefined;
    const server = await startChild(shimmedDisk(library, db, { fail, seed: round }));
    const failed = await writeUntilExit(server, writes, round, !fails);
    if (failed) failedSyncs++;
    else if (fails && !isCheckpoint) problems.push(`round ${round}: no sync failed`);
    if (failed && round % 2 === 0) {
      if (round % 3 === 0) dropPageCache(db);
      const next = await startChild(shimmedDisk(library, db, { seed: round }));
      problems.push(...(await writes.check(next, round)));
      await writeUntilExit(next, writes, round + 1, true);
    }
    cutPower(db);
    problems.push(...integrityProblems(copyDatabase(db, join(folder, `copy-${round}.db`)), round));
    const last = await startChild(shimmedDisk(library, db, { seed: round }));
    problems.push(...(await writes.check(last, round)));
    await last.stop();
  }
  return { rounds: round, acknowledged: writes.acknowledged(), failedSyncs, problems };
}

/** Writes until the server ends by itself, or is killed after a while; true if it ended because a sync failed. */
async function writeUntilExit(
  server: ChildServer,
  writes: ReturnType<typeof trackWrites>,
  round: number,
  kill: boolean,
): Promise<boolean> {
  const exited = once(server.child, 'exit');
  const writing = writes.writeUntilDead(server, round);
  const timer = AbortSignal.timeout(kill ? 100 + ((round * 37) % 400) : MAX_WRITING_MS);
  await Promise.race([exited, once(timer, 'abort')]);
  if (timer.aborted) server.child.kill('SIGKILL');
  const [code] = (await exited) as [number | null];
  await writing;
  await sleep(0);
  return code === STORE_STOPPED_EXIT_CODE;
}

function integrityProblems(copy: string, round: number): string[] {
  const db = new DatabaseSync(copy);
  try {
    const found = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    return found
      .filter(({ integrity_check }) => integrity_check !== 'ok')
      .map(({ integrity_check }) => `round ${round}: ${integrity_check}`);
  } catch (thrown) {
    return [`round ${round}: ${thrown}`];
  } finally {
    db.close();
  }
}
