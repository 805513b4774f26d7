import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';

/** Checks the admin password, and locks out user names and addresses after repeated failures. */
export interface LoginGuard {
  /** Throws `invalid_credentials`, or `rate_limited` while locked out. */
  check(username: string, password: string, address: string): void;
}

const FAILURES_BEFORE_LOCK = 5;
const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 900_000;
const FAILURE_TTL_MS = 3_600_000;
const MAX_TRACKED = 10_000;

interface Failures {
  count: number;
  lockedUntilMs: number;
  lastMs: number;
}

export function createLoginGuard(options: {
  username: string;
  password?: string;
  now: () => number;
}): LoginGuard {
  // Only counted failures refresh an entry (reads use `peek`): attempts that a lock-out rejects cost an attacker nothing,
  // and must not push a victim's entry towards eviction.
  const failures = new BoundedMap<string, Failures>(MAX_TRACKED);

  function recent(name: string): Failures {
    const known = failures.peek(name);
    return known && options.now() - known.lastMs < FAILURE_TTL_MS
      ? known
      : { count: 0, lockedUntilMs: 0, lastMs: 0 };
  }

  function assertUnlocked(name: string): void {
    const waitMs = recent(name).lockedUntilMs - options.now();
    if (waitMs <= 0) return;
    throw new AppError('rate_limited', 'Too many failed logins.', {
      reason: 'locked_out',
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }

  function countFailure(name: string): void {
    const known = recent(name);
    const count = known.count + 1;
    const lockMs =
      count < FAILURES_BEFORE_LOCK
        ? 0
        : Math.min(FIRST_LOCK_MS * 2 ** (count - FAILURES_BEFORE_LOCK), LONGEST_LOCK_MS);
    failures.set(name, { count, lockedUntilMs: options.now() + lockMs, lastMs: options.now() });
  }

  return {
    check(username, password, address) {
      if (options.password === undefined)
        throw new AppError('login_disabled', 'Login is switched off on this server.');
      const names = [`user ${username}`, `from ${address}`];
      for (const name of names) assertUnlocked(name);
      const isCorrect =
        equalInConstantTime(username, options.username) && equalInConstantTime(password, options.password);
      if (isCorrect) {
        for (const name of names) failures.delete(name);
        return;
      }
      for (const name of names) countFailure(name);
      throw new AppError('invalid_credentials', 'The user name or the password is wrong.');
    },
  };
}

/** Compares hashes, so that timing reveals neither length nor content. */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
