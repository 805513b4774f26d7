import { createHmac, randomUUID } from 'node:crypto';
import { equalInConstantTime } from './login-guard.ts';

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

export const BROWSER_COOKIE = 'helmdeck_browser';
export const BROWSER_SECONDS = 30 * 86_400;
const COOKIE_VALUE = new RegExp(`(?:^|; *)${BROWSER_COOKIE}=([\\w-]{36})\\.(\\d{1,12})\\.([\\w-]+)`);

export function createKnownBrowsers(key: Uint8Array, now: () => number): KnownBrowsers {
  const signed = (username: string, id: string, expires: string) => {
    const text = JSON.stringify(['browser', username.toLowerCase(), id, expires]);
    return createHmac('sha256', key).update(text).digest('base64url');
  };
  return {
    valueFor(username) {
      const id = randomUUID();
      const expires = String(Math.floor(now() / 1000) + BROWSER_SECONDS);
      return `${id}.${expires}.${signed(username, id, expires)}`;
    },
    idOf(username, cookies = '') {
      const [, id, expires, mac] = COOKIE_VALUE.exec(cookies) ?? [];
      if (id === undefined || now() >= Number(expires) * 1000) return undefined;
      return equalInConstantTime(mac!, signed(username, id, expires!)) ? id : undefined;
    },
  };
}
