import { createHmac, randomUUID } from 'node:crypto';
import { equalInConstantTime, type KnownBrowsers } from './login-guard.ts';

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
