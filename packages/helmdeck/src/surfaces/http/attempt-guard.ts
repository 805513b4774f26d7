import { AppError } from '../../errors.ts';
import {
  type AttemptRecords,
  type AttemptState,
  attemptsInMemory,
  FAILURE_TTL_MS,
  type NetworkAttempts,
  type SharedBudget,
} from '../../identity/attempt-records.ts';
import { isLoopbackAddress, networkOf } from './client-address.ts';

/**
 * Limits guessing of a secret. There are two limits by address: each network is locked out after a few failures, and all
 * networks from which no attempt has succeeded share a budget of failures. Attempts from a `browser`, which proved by a
 * cookie that an attempt of this person succeeded there, count for that browser alone.
 */
export interface AttemptGuard {
  /**
   * Counts an attempt as failed before it is checked, because many guesses at the same time would otherwise all be let
   * through. Throws `rate_limited` while locked out.
   */
  begin(address: string, browser?: string): Promise<void>;
  /** Proves the network, and takes back this many of its failures, by default all. */
  succeeded(address: string, failures?: number): Promise<void>;
  /** Takes back all failures of a browser. */
  succeededIn(browser: string): Promise<void>;
  /** Takes back the failure that `begin` counted. Unlike `succeeded`, it proves nothing about the network. */
  takeBack(address: string): Promise<void>;
}

const FAILURES_BEFORE_LOCK = 5;
const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 900_000;

/** Failures from unproven networks: this many in a row, then one per interval (2,880 a day). */
const SHARED_FAILURES = 100;
const SHARED_INTERVAL_MS = 30_000;

/** A network from which a login succeeded is exempt from the shared budget for this long. */
const PROVEN_MS = 30 * 86_400_000;

/** Without `records`, attempts are counted in RAM. */
export function createAttemptGuard({
  now,
  message,
  records = attemptsInMemory(now),
}: {
  now: () => number;
  message: string;
  records?: AttemptRecords;
}): AttemptGuard {
  const recent = (network: NetworkAttempts): NetworkAttempts =>
    now() - network.lastMs < FAILURE_TTL_MS ? network : { ...network, count: 0, lockedUntilMs: 0, lastMs: 0 };

  /** How many failures the shared budget has left now. */
  const left = (shared: SharedBudget | undefined) =>
    shared
      ? Math.min(SHARED_FAILURES, shared.failures + (now() - shared.atMs) / SHARED_INTERVAL_MS)
      : SHARED_FAILURES;

  // A login from the machine itself is one that no remote attacker can send.
  const isProven = (address: string, { provenUntilMs }: NetworkAttempts) =>
    isLoopbackAddress(address) || now() < provenUntilMs;

  function assertAllowed(address: string, { network, shared }: AttemptState): void {
    const ownMs = network.lockedUntilMs - now();
    const sharedMs = isProven(address, network) ? 0 : (1 - left(shared)) * SHARED_INTERVAL_MS;
    assertUnlocked(Math.max(ownMs, sharedMs));
  }

  function assertUnlocked(waitMs: number): void {
    if (waitMs <= 0) return;
    throw new AppError('rate_limited', message, {
      reason: 'locked_out',
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  function afterFailure(network: NetworkAttempts): NetworkAttempts {
    const count = network.count + 1;
    const lockMs =
      count < FAILURES_BEFORE_LOCK
        ? 0
        : Math.min(FIRST_LOCK_MS * 2 ** (count - FAILURES_BEFORE_LOCK), LONGEST_LOCK_MS);
    return { ...network, count, lockedUntilMs: now() + lockMs, lastMs: now() };
  }

  const excused = (network: NetworkAttempts, failures: number): NetworkAttempts => ({
    ...network,
    count: Math.max(0, network.count - failures),
    lockedUntilMs: 0,
  });

  const updateKey = (key: string, change: (before: AttemptState) => AttemptState) =>
    records.update(key, ({ network, shared }) => change({ network: recent(network), shared }));
  const update = (address: string, change: (before: AttemptState) => AttemptState) =>
    updateKey(networkOf(address), change);
  /** Of networks that are not proven, the budget gets `change` more. */
  const spend = (address: string, { network, shared }: AttemptState, change: number) =>
    isProven(address, network)
      ? shared
      : { failures: Math.min(SHARED_FAILURES, left(shared) + change), atMs: now() };

  return {
    begin: (address, browser) =>
      browser === undefined
        ? update(address, (before) => {
            assertAllowed(address, before);
            return { network: afterFailure(before.network), shared: spend(address, before, -1) };
          })
        : updateKey(`browser ${browser}`, ({ network, shared }) => {
            assertUnlocked(network.lockedUntilMs - now());
            return { network: afterFailure(network), shared };
          }),
    succeeded: (address, failures = Number.POSITIVE_INFINITY) =>
      update(address, (before) => ({
        network: { ...excused(before.network, failures), provenUntilMs: now() + PROVEN_MS },
        shared: spend(address, before, 1),
      })),
    succeededIn: (browser) =>
      updateKey(`browser ${browser}`, ({ network, shared }) => ({
        network: excused(network, Number.POSITIVE_INFINITY),
        shared,
      })),
    takeBack: (address) =>
      update(address, (before) => ({
        network: excused(before.network, 1),
        shared: spend(address, before, 1),
      })),
  };
}
