import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { createAttemptGuard } from './attempt-guard.ts';

/**
 * Checks the admin password and limits guessing. A lock-out by user name would let anyone keep the admin locked out, so
 * the limits are by address and hold no user names, which an attacker chooses.
 */
export interface LoginGuard {
  /** Throws `invalid_credentials`, or `rate_limited` while locked out. */
  check(username: string, password: string, address: string): void;
}

export function createLoginGuard(options: {
  username: string;
  password?: string;
  now: () => number;
}): LoginGuard {
  const attempts = createAttemptGuard({ now: options.now, message: 'Too many failed logins.' });
  return {
    check(username, password, address) {
      if (options.password === undefined)
        throw new AppError('login_disabled', 'Login is switched off on this server.');
      attempts.assertAllowed(address);
      const isName = equalInConstantTime(username, options.username);
      if (!equalInConstantTime(password, options.password) || !isName) {
        attempts.failed(address);
        throw new AppError('invalid_credentials', 'The user name or the password is wrong.');
      }
      attempts.succeeded(address);
    },
  };
}

/** Compares hashes, so that timing reveals neither length nor content. */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
