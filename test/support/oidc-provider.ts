import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from './services/free-port.ts';

const PROGRAM = resolve(import.meta.dirname, 'oidc-provider-process.mjs');

export type People = Record<
  string,
  { email?: string; email_verified?: boolean; name?: string; groups?: string[] }
>;

/** An identity provider that runs as a process; each start has new signing keys. */
export interface OidcProvider {
  readonly issuer: string;
  start(options?: { clockShiftMs?: number; publishesOtherKeys?: boolean }): Promise<void>;
  stop(): Promise<void>;
  /** What the provider says about people from now on. */
  setPeople(people: People): void;
}

export async function oidcProvider(folder: string, redirectUri: string): Promise<OidcProvider> {
  const port = await freePort();
  const peopleFile = join(folder, 'people.json');
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    child = undefined;
    await ended;
  };
  return {
    issuer: `http://127.0.0.1:${port}`,
    stop,
    setPeople: (people) => writeFileSync(peopleFile, JSON.stringify(people)),
    async start(options = {}) {
      await stop();
      const settings = JSON.stringify({ port, redirectUri, peopleFile, ...options });
      child = spawn(process.execPath, [PROGRAM, settings], { stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout!, 'data');
    },
  };
}

/** A browser without a screen: follows redirects with a cookie jar per origin. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).origin)?.get(name);
  }

  setCookie(url: string, name: string, value: string): void {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar.set(name, value));
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const jar = this.#cookies.get(new URL(url).origin) ?? new Map<string, string>();
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie ? { cookie } : {}) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.setCookie(url, name, value);
      if (value === '') this.#cookies.get(new URL(url).origin)!.delete(name);
    }
    return response;
  }

  /** Signs in at the provider, and returns the address that it sends the browser back to, before it is visited. */
  async logInAt(authorizationUrl: string, login: string, stopAt: string): Promise<string> {
    let url = authorizationUrl;
    let form: RequestInit | undefined;
    for (let step = 0; step < 20; step++) {
      if (url.startsWith(stopAt)) return url;
      const response = await this.fetch(url, form);
      form = undefined;
      const location = response.headers.get('location');
      if (location !== null) {
        url = new URL(location, url).href;
        continue;
      }
      const page = await response.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      if (!action) throw new Error(`no form at step ${step}: ${response.status}`);
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      url = new URL(action, url).href;
      form = {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ prompt, login, password: 'any' }).toString(),
      };
    }
    throw new Error('the provider did not send the browser back');
  }
}
