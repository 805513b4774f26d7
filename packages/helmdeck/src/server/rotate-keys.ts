import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';

const LEASE = 'rotation';
const LEASE_MS = 30_000;
const RETRY_INTERVAL_MS = 5_000;
const RENEW_INTERVAL_MS = 5_000;

/**
 * Key rotation: re-wraps the data keys that a previous master key wrapped. A lease admits one process at a time. Every
 * process does it once after its start, because processes that still run under the previous key wrap new data keys with
 * it. With nothing left to re-wrap it only scans the namespaces.
 */
export async function rotateKeys(memory: OpenMemory, log: RestLog, closing: AbortSignal): Promise<void> {
  const { leases, directory } = memory.parts;
  let renewal: NodeJS.Timeout | undefined;
  try {
    while (!(await leases.tryAcquire(LEASE, LEASE_MS)))
      await delay(RETRY_INTERVAL_MS, undefined, { signal: closing });
    const renew = () => void leases.tryAcquire(LEASE, LEASE_MS).catch(() => {});
    renewal = setInterval(renew, RENEW_INTERVAL_MS).unref();
    await directory.rotate();
    await leases.release(LEASE);
  } catch (thrown) {
    if (closing.aborted) return;
    log.error(
      { code: toAppError(thrown).code },
      're-wrapping the data keys failed; the next start continues it',
    );
  } finally {
    clearInterval(renewal);
  }
}
