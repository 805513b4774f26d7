import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { trackWrites } from './acknowledged-writes.ts';
import { startChild } from './child-server.ts';

export interface CrashResult {
  rounds: number;
  acknowledged: number;
  problems: string[];
}

/** A kill is a useful test once writes were acknowledged; every fifth round kills without waiting for that. */
const ACKNOWLEDGED_BEFORE_KILL = 16;
const EARLY_KILL_EVERY = 5;

/** In each round: writes, kills the server at a random moment, restarts it and checks every acknowledged write. */
export async function crashRounds(
  db: string,
  rounds: number,
  progress?: (round: number) => void,
): Promise<CrashResult> {
  const writes = trackWrites();
  const problems: string[] = [];
  let server = await startChild({ HELMDECK_DB: db });
  for (let round = 1; round <= rounds; round++) {
    const before = writes.acknowledged();
    const writing = writes.writeUntilDead(server, round);
    await sleep(randomInt(20, 250));
    // On a slow machine, wait for enough acknowledgements before the kill.
    const enough = () => writes.acknowledged() - before >= ACKNOWLEDGED_BEFORE_KILL;
    for (let waited = 0; round % EARLY_KILL_EVERY !== 0 && !enough() && waited < 1_000; waited++)
      await sleep(randomInt(1, 20));
    await server.kill();
    await writing;
    server = await startChild({ HELMDECK_DB: db });
    problems.push(...(await writes.check(server, round)));
    progress?.(round);
  }
  await server.stop();
  return { rounds, acknowledged: writes.acknowledged(), problems };
}
