import { AppError } from '../../errors.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { isLoopbackAddress, networkOf } from './client-address.ts';

/**
 * Limits guessing of a secret. There are two limits by address: each network is locked out after a few failures, and all
 * networks from which no attempt has succeeded share a budget of failures.
 */
export interface AttemptGuard {
  /** Throws `rate_limited` while locked out. */
  assertAllowed(address: string): void;
  failed(address: string): void;
  /** Also takes back the failures of its network. */
  succeeded(address: string): void;
  /** Takes back one failure that was counted in advance. Unlike `succeeded`, it proves nothing about the network. */
  takeBack(address: string): void;
}

const FAILURES_BEFORE_LOCK = 5;
const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 900_000;
const FAILURE_TTL_MS = 3_600_000;
const MAX_TRACKED_NETWORKS = 10_000;

/** Failures from unproven networks: this many in a row, then one per interval (2,880 a day). */
const SHARED_FAILURES = 100;
const SHARED_INTERVAL_MS = 30_000;

/** A network from which a login succeeded is exempt from the shared budget for this long. */
const PROVEN_MS = 30 * 86_400_000;
const MAX_PROVEN_NETWORKS = 1_000;

interface Failures {
  count: number;
  lockedUntilMs: number;
  lastMs: number;
}

export function createAttemptGuard({ now, message }: { now: () => number; message: string }): AttemptGuard {
  // A network that is locked out is never evicted, so no flood of failures from other networks ends its lock-out.
  const failures = new BoundedMap<string, Failures>(
    MAX_TRACKED_NETWORKS,
    undefined,
    ({ lockedUntilMs }) => now() < lockedUntilMs,
  );
  /** Until when each network is proven. Only a successful login adds one, so a flood of failures evicts none. */
  const proven = new BoundedMap<string, number>(MAX_PROVEN_NETWORKS);
  let shared = { failures: SHARED_FAILURES, atMs: now() };

  function recentFailures(network: string): Failures {
    const known = failures.peek(network);
    return known && now() - known.lastMs < FAILURE_TTL_MS ? known : { count: 0, lockedUntilMs: 0, lastMs: 0 };
  }

  /** How many failures the shared budget has left now. */
  function sharedLeft(): number {
    return Math.min(SHARED_FAILURES, shared.failures + (now() - shared.atMs) / SHARED_INTERVAL_MS);
  }

  // A login from the machine itself is one that no remote attacker can send.
  const isProven = (address: string, network: string) =>
    isLoopbackAddress(address) || now() < (proven.get(network) ?? 0);

  function waitMs(address: string, network: string): number {
    const ownMs = recentFailures(network).lockedUntilMs - now();
    const sharedMs = isProven(address, network) ? 0 : (1 - sharedLeft()) * SHARED_INTERVAL_MS;
    return Math.max(ownMs, sharedMs);
  }

  function countFailure(address: string, network: string): void {
    const count = recentFailures(network).count + 1;
    const lockMs =
      count < FAILURES_BEFORE_LOCK
        ? 0
        : Math.min(FIRST_LOCK_MS * 2 ** (count - FAILURES_BEFORE_LOCK), LONGEST_LOCK_MS);
    failures.set(network, { count, lockedUntilMs: now() + lockMs, lastMs: now() });
    if (!isProven(address, network)) shared = { failures: sharedLeft() - 1, atMs: now() };
  }

  return {
    assertAllowed(address) {
      const lockedMs = waitMs(address, networkOf(address));
      if (lockedMs <= 0) return;
      throw new AppError('rate_limited', message, {
        reason: 'locked_out',
        retryAfterSeconds: Math.ceil(lockedMs / 1000),
      });
    },
    failed: (address) => countFailure(address, networkOf(address)),
    succeeded(address) {
      const network = networkOf(address);
      failures.delete(network);
      proven.set(network, now() + PROVEN_MS);
    },
    takeBack(address) {
      const network = networkOf(address);
      const { count, lastMs } = recentFailures(network);
      if (count > 1) failures.set(network, { count: count - 1, lockedUntilMs: 0, lastMs });
      else failures.delete(network);
      if (!isProven(address, network))
        shared = { failures: Math.min(SHARED_FAILURES, sharedLeft() + 1), atMs: now() };
    },
  };
}
