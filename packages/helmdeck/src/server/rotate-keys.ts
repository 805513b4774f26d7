import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';
import type { VaultService } from '../vault/vault.ts';

const LEASE = 'rotation';
const LEASE_MS = 30_000;
const RETRY_INTERVAL_MS = 5_000;
const RENEW_INTERVAL_MS = 5_000;
/** How often a failed rotation is tried again, and one with earlier keys repeated. */
const REPEAT_INTERVAL_MS = 30_000;

export interface RotateKeysOptions {
  /** Whether earlier keys are configured: only then can anything be found that was left or came late. */
  repeat: boolean;
  vault: Pick<VaultService, 'rotate'> | undefined;
  log: RestLog;
  closing: AbortSignal;
  /** For tests. */
  intervalMs?: number;
}

/**
 * Key rotation: re-wraps the data keys that a previous master key wrapped. A lease admits one process at a time. Every
 * process does it after its start and, while earlier keys are configured, again and again: a node of an older version
 * wraps new data keys with an earlier key without checking. With nothing left to re-wrap it only scans the namespaces.
 */
export async function rotateKeys(memory: OpenMemory, options: RotateKeysOptions): Promise<void> {
  const { repeat, log, closing, intervalMs = REPEAT_INTERVAL_MS } = options;
  for (let isFirst = true; !closing.aborted; isFirst = false) {
    try {
      if (!isFirst) await delay(intervalMs, undefined, { signal: closing, ref: false });
      await rotateOnce(memory, options);
      if (!repeat) return;
    } catch (thrown) {
      if (closing.aborted) return;
      const { code, reason } = toAppError(thrown);
      log.error({ code, reason }, 're-wrapping the data keys failed; it is tried again');
    }
  }
}

async function rotateOnce(memory: OpenMemory, { vault, closing }: RotateKeysOptions): Promise<void> {
  const { leases, directory } = memory.parts;
  while (!(await leases.tryAcquire(LEASE, LEASE_MS)))
    await delay(RETRY_INTERVAL_MS, undefined, { signal: closing, ref: false });
  const renew = () => void leases.tryAcquire(LEASE, LEASE_MS).catch(() => {});
  const renewal = setInterval(renew, RENEW_INTERVAL_MS).unref();
  try {
    await directory.rotate();
    await vault?.rotate();
  } finally {
    clearInterval(renewal);
    await leases.release(LEASE).catch(() => {}); // otherwise it expires
  }
}
