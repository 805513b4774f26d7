import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';

const WORK = 'rotation';
const TURN_MS = 30_000;
const LOOK_MS = 5_000;

/**
 * Re-wraps data keys that an earlier master key wrapped: one process at a time, and each looks once, after the others,
 * because a process that still runs under the earlier key wraps new ones with it. With nothing left to do that is a walk.
 */
export async function rotateOnce(memory: OpenMemory, log: RestLog, closing: AbortSignal): Promise<void> {
  const { leases, directory } = memory.parts;
  let renewal: NodeJS.Timeout | undefined;
  try {
    while (!(await leases.tryAcquire(WORK, TURN_MS))) await delay(LOOK_MS, undefined, { signal: closing });
    renewal = setInterval(() => void leases.tryAcquire(WORK, TURN_MS).catch(() => {}), LOOK_MS).unref();
    await directory.rotate();
    await leases.release(WORK);
  } catch (thrown) {
    if (closing.aborted) return;
    log.error(
      { code: toAppError(thrown).code },
      're-wrapping the data keys stopped; the next start goes on with it',
    );
  } finally {
    clearInterval(renewal);
  }
}
