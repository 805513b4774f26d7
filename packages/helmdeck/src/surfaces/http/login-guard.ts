import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { type Account, callerOfAccount, scopesOf } from '../../identity/account.ts';
import type { Accounts } from '../../identity/accounts.ts';
import { type AttemptRecords, FAILURE_TTL_MS } from '../../identity/attempt-records.ts';
import type { Caller } from '../../memory/namespace.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { createAttemptGuard } from './attempt-guard.ts';
import { networkOf } from './client-address.ts';

/** A person who proved who they are. */
export interface Person {
  caller: Caller & { subject: string };
  scopes: readonly string[];
  /** Absent for the configured admin. */
  account?: Account;
}

/**
 * Checks passwords and limits guessing. A lock-out by user name would let anyone keep a person locked out, so the limits
 * are by address, and apart from it by browser, once a person has signed in there. No name that was tried is kept, because
 * an attacker chooses it: only a hash, for an hour.
 */
export interface LoginGuard {
  /** Throws `invalid_credentials`, or `rate_limited` while locked out. */
  check(username: string, password: string, address: string, cookies?: string): Promise<Person>;
  /** The value of the cookie by which a browser is known in which this person has just signed in. */
  browserCookie(username: string): string | undefined;
  /** Whether anyone can log in with a password. */
  isOn(): Promise<boolean>;
}

/**
 * Tells the browsers in which a person signed in with their password, by a signed cookie (a device cookie). Their failed
 * logins are counted apart from those of their address, so that nobody behind the same address can lock them out.
 */
export interface KnownBrowsers {
  /** The cookie of a browser in which this person has just signed in. */
  valueFor(username: string): string;
  /** The id of the browser that sent these cookies, if this person signed in with it. */
  idOf(username: string, cookies: string | undefined): string | undefined;
}

const MAX_EXCUSABLE = 10_000;

export function createLoginGuard(options: {
  username: string;
  password?: string;
  now: () => number;
  accounts?: Accounts;
  records?: AttemptRecords;
  browsers?: KnownBrowsers;
}): LoginGuard {
  const { accounts, browsers, now, records } = options;
  const attempts = createAttemptGuard({ now, message: 'Too many failed logins.', records });
  /**
   * Failures by network and name. A right password excuses the earlier mistakes with that name and no others: an account
   * must not excuse guesses at another one's password. A count that is evicted is only not excused.
   */
  const mistakes = new BoundedMap<string, { count: number; lastMs: number }>(MAX_EXCUSABLE);

  async function isOn(): Promise<boolean> {
    return options.password !== undefined || ((await accounts?.havePasswords()) ?? false);
  }

  function isAdmin(username: string, password: string): boolean {
    if (options.password === undefined) return false;
    const isName = equalInConstantTime(username, options.username);
    return equalInConstantTime(password, options.password) && isName;
  }

  return {
    isOn,
    browserCookie: (username) => browsers?.valueFor(username),
    async check(username, password, address, cookies) {
      if (!(await isOn())) throw new AppError('login_disabled', 'Login is switched off on this server.');
      const browser = browsers?.idOf(username, cookies);
      await attempts.begin(address, browser);
      if (isAdmin(username, password)) {
        await (browser === undefined ? attempts.succeeded(address) : attempts.succeededIn(browser));
        return { caller: { subject: options.username }, scopes: ['admin'] };
      }
      // Whatever is wrong, one hash is made: time reveals neither the names of accounts nor that of the admin.
      const hasAccounts = accounts && (await accounts.havePasswords());
      const account = hasAccounts ? await accounts.checkPassword(username, password) : undefined;
      const name = `${networkOf(address)} ${createHash('sha256').update(username.toLowerCase()).digest('base64')}`;
      const known = mistakes.get(name);
      const before = known && now() - known.lastMs < FAILURE_TTL_MS ? known.count : 0;
      if (!account && browser === undefined) mistakes.set(name, { count: before + 1, lastMs: now() });
      if (!account) throw new AppError('invalid_credentials', 'The user name or the password is wrong.');
      if (browser === undefined) {
        mistakes.delete(name);
        await attempts.succeeded(address, before + 1);
      } else await attempts.succeededIn(browser);
      return { caller: callerOfAccount(account), scopes: scopesOf(account), account };
    },
  };
}

/** Compares hashes, so that timing reveals neither length nor content. */
export function equalInConstantTime(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
