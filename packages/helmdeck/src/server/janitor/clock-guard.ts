import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../memory/store.ts';
import type { ClockTrust } from '../../surfaces/rest/route.ts';
import type { Config } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';

// Decides whether the wall clock may be trusted to delete: a clock that is wrong for half a minute must not sweep facts
// that expire months later. Expired facts are unreadable in any case.

/** A larger difference to the monotonic clock is a leap, not a correction. */
const TOLERANCE_MS = 5 * 60_000;
/** After a leap, or a start at an unexpected time, the clock must agree with the monotonic one for this long. */
const CONFIRM_MS = 3_600_000;
/** A process that was down for longer waits for the confirmation, because its clock may be ahead. */
const MAX_DOWNTIME_MS = 3_600_000;
const SAVE_INTERVAL_MS = 60_000;

/** The last time that was trusted, kept across restarts. */
export interface LastSeen {
  read(): Promise<number | undefined>;
  write(ms: number): Promise<void>;
}

export interface Clocks {
  now: () => number;
  /** Never leaps, but stands still while the machine sleeps. */
  monotonicMs: () => number;
}

export function createClockGuard({ now, monotonicMs }: Clocks, lastSeen: LastSeen): ClockTrust {
  /** Wall time minus monotonic time, while the clock was trusted. */
  let trustedOffsetMs: number | undefined;
  /** An offset that waits for its confirmation. */
  let candidate: { offsetMs: number; sinceMs: number } | undefined;
  let savedMs = Number.NEGATIVE_INFINITY;

  async function firstOffset(): Promise<number> {
    const seenMs = await lastSeen.read().catch(() => undefined);
    const downtimeMs = now() - (seenMs ?? now());
    const isPlausible = downtimeMs >= -TOLERANCE_MS && downtimeMs <= MAX_DOWNTIME_MS;
    return (isPlausible ? now() : seenMs!) - monotonicMs();
  }

  async function trust(offsetMs: number): Promise<true> {
    trustedOffsetMs = offsetMs;
    candidate = undefined;
    if (Math.abs(monotonicMs() - savedMs) >= SAVE_INTERVAL_MS) {
      savedMs = monotonicMs();
      await lastSeen.write(now()).catch(() => undefined); // without it the next start may wait an hour
    }
    return true;
  }

  return {
    async confirm() {
      savedMs = Number.NEGATIVE_INFINITY;
      await trust(now() - monotonicMs());
    },
    async isTrusted() {
      trustedOffsetMs ??= await firstOffset();
      const offsetMs = now() - monotonicMs();
      if (Math.abs(offsetMs - trustedOffsetMs) <= TOLERANCE_MS) return trust(offsetMs);
      if (!candidate || Math.abs(offsetMs - candidate.offsetMs) > TOLERANCE_MS)
        candidate = { offsetMs, sinceMs: monotonicMs() };
      return monotonicMs() - candidate.sinceMs >= CONFIRM_MS && trust(offsetMs);
    },
  };
}

const LEASE = 'last seen';
const YEAR_MS = 365 * 86_400_000;

/** Where the last trusted time is kept: nodes that share a database share it, a database file has a file in the data folder. */
export function lastSeenOf(
  config: Pick<Config, 'db' | 'dataDir'>,
  { sharing }: Pick<Store, 'sharing'>,
): LastSeen {
  const parse = (text: string | undefined) => (text && /^\d+$/.test(text) ? Number(text) : undefined);
  if (sharing) {
    return {
      read: async () => parse(await sharing.leaseHolder(LEASE)),
      async write(ms) {
        const before = await sharing.leaseHolder(LEASE);
        if (before !== undefined) await sharing.releaseLease(LEASE, before);
        await sharing.acquireLease(LEASE, String(ms), YEAR_MS);
      },
    };
  }
  if (!isFile(config.db)) return { read: async () => undefined, write: async () => {} };
  const path = join(config.dataDir, 'last-seen');
  return {
    read: async () => parse((await readFile(path, 'utf8')).trim()),
    write: (ms) => writeFile(path, `${ms}\n`, { mode: 0o600 }),
  };
}
