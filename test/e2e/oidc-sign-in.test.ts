import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { type OidcProvider, oidcProvider, type People, Visitor } from '../support/oidc-provider.ts';
import { freePort } from '../support/services/free-port.ts';

const PEOPLE: People = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true, groups: ['staff'] },
  eve: { name: 'Eve', email: 'eve@example.org.evil.example', email_verified: true, groups: [] },
  una: { name: 'Una', email: 'una@example.org', email_verified: false },
  gil: { name: 'Gil', groups: ['engineers'] },
};
let provider: OidcProvider;
let server: TestServer;
let base: string;
let callback: string;

beforeAll(async () => {
  base = `http://127.0.0.1:${await freePort()}`;
  callback = `${base}/api/v1/auth/oidc/callback`;
  provider = await oidcProvider(mkdtempSync(join(tmpdir(), 'oidc-')), callback);
  provider.setPeople(PEOPLE);
  await provider.start();
  server = await testServer({
    socket: true,
    env: {
      HELMDECK_ADDR: new URL(base).host,
      HELMDECK_PUBLIC_URL: base,
      HELMDECK_OIDC_ISSUER: provider.issuer,
      HELMDECK_OIDC_CLIENT_ID: 'helmdeck',
      HELMDECK_OIDC_CLIENT_SECRET: 'a secret of the client',
      HELMDECK_OIDC_GROUPS_CLAIM: 'groups',
      HELMDECK_OIDC_ALLOW: '@example.org, engineers',
    },
  });
});
afterAll(async () => {
  await server.close();
  await provider.stop();
});
beforeEach(() => provider.setPeople(PEOPLE));

const nameOf = (subject: string) => `${provider.issuer}#${subject}`;
async function begin(visitor: Visitor, query = ''): Promise<string> {
  const response = await visitor.fetch(`${base}/api/v1/auth/oidc/start${query}`);
  expect(response.status).toBe(302);
  return response.headers.get('location')!;
}
/** Where the browser ends up after the provider's answer. */
const arrive = async (visitor: Visitor, url: string) => {
  const response = await visitor.fetch(url);
  expect(response.status).toBe(302);
  return response.headers.get('location')!;
};
async function signIn(login: string, visitor = new Visitor()) {
  const answer = await visitor.logInAt(await begin(visitor), login, callback);
  return { visitor, place: await arrive(visitor, answer) };
}
const page = { 'sec-fetch-site': 'same-origin' };
const session = async (visitor: Visitor) =>
  (await (await visitor.fetch(`${base}/api/v1/auth/session`, { headers: page })).json()) as {
    subject?: string;
    error?: string;
    account?: object;
  };
const problem = (name: string) => `${base}/?sign_in=${name}`;

describe('sign-in with an identity provider', () => {
  it('the first sign-in makes a member account, whose memory is neither a local subject’s nor the admin’s', async () => {
    const { visitor, place } = await signIn('ada');
    expect(place).toBe(`${base}/`);
    expect(await session(visitor)).toMatchObject({
      subject: 'ada',
      account: { display_name: 'Ada Lovelace', role: 'member', has_password: false },
    });
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'local' });
    expect((await visitor.fetch(`${base}/api/v1/memory/facts/k`, { headers: page })).status).toBe(404);
    const [account] = await server.memory!.accounts.list();
    expect(account).toMatchObject({ issuer: provider.issuer, name: 'ada', groups: ['staff'] });
    const records = await server.memory!.audit.list(undefined, 5);
    expect(records[0]).toMatchObject({ action: 'login', actor: nameOf('ada') });
  });

  it.each([
    ['a look-alike domain', 'eve', 'not_allowed'],
    ['an address that is not verified', 'una', 'not_allowed'],
    ['neither address nor group', 'nobody', 'not_allowed'],
  ])('a person with %s is not let in, and gets no account', async (_why, login, reason) => {
    const { visitor, place } = await signIn(login);
    expect(place).toBe(problem(reason));
    expect(await session(visitor)).toMatchObject({ error: 'missing_bearer' });
    expect((await server.memory!.accounts.list()).map(({ name }) => name)).not.toContain(login);
  });

  it('leaving the allowed group takes effect at the next sign-in, which also ends the tokens from before', async () => {
    const { visitor } = await signIn('gil');
    expect(await session(visitor)).toMatchObject({ subject: 'gil' });
    provider.setPeople({ gil: { name: 'Gil', groups: ['visitors'] } });
    expect(await session(visitor), 'until then the session lasts').toMatchObject({ subject: 'gil' });
    expect((await signIn('gil')).place).toBe(problem('not_allowed'));
    expect(await session(visitor)).toMatchObject({ error: 'token_revoked' });
    provider.setPeople(PEOPLE);
    expect((await signIn('gil')).place).toBe(`${base}/`);
  });

  it('a disabled account cannot sign in, and its sessions end', async () => {
    const { visitor } = await signIn('ada');
    const account = (await server.memory!.accounts.list()).find(({ name }) => name === 'ada')!;
    await server.memory!.accounts.change(account.id, { disabled: true });
    expect(await session(visitor)).toMatchObject({ error: 'token_revoked' });
    expect((await signIn('ada')).place).toBe(problem('account_disabled'));
    await server.memory!.accounts.change(account.id, { disabled: false });
  });

  it('an answer counts once, and only in the browser that began the sign-in', async () => {
    const [victim, attacker] = [new Visitor(), new Visitor()];
    const stolen = await attacker.logInAt(await begin(attacker), 'ada', callback);
    // The attacker's answer in a browser that began nothing, and in one that began another sign-in.
    expect(await arrive(victim, stolen)).toBe(problem('expired'));
    await begin(victim);
    expect(await arrive(victim, stolen)).toBe(problem('failed'));
    expect(await session(victim)).toMatchObject({ error: 'missing_bearer' });
    expect(await arrive(attacker, stolen)).toBe(`${base}/`);
    expect(await arrive(attacker, stolen)).toBe(problem('expired'));
  });

  it('a session that was planted before the sign-in is replaced', async () => {
    const visitor = new Visitor();
    const planted = await server.token('mallory', { client: 'browser' });
    visitor.setCookie(base, 'helmdeck_session', planted);
    await signIn('ada', visitor);
    expect(visitor.cookie(base, 'helmdeck_session')).not.toBe(planted);
    expect(await session(visitor)).toMatchObject({ subject: 'ada' });
  });

  it('an answer with another nonce, without the code verifier’s challenge, or with a changed state is refused', async () => {
    const changed = async (name: string, value: string) => {
      const visitor = new Visitor();
      const url = new URL(await begin(visitor));
      url.searchParams.set(name, value);
      return arrive(visitor, await visitor.logInAt(url.href, 'ada', callback));
    };
    expect(await changed('nonce', 'another nonce')).toBe(problem('failed'));
    expect(await changed('code_challenge', 'A'.repeat(43))).toBe(problem('failed'));
    expect(await changed('state', 'another state')).toBe(problem('failed'));
    const visitor = new Visitor();
    const answer = new URL(await visitor.logInAt(await begin(visitor), 'ada', callback));
    answer.searchParams.set('iss', 'https://other.example');
    expect(await arrive(visitor, answer.href)).toBe(problem('failed'));
    await begin(visitor);
    expect(await arrive(visitor, `${callback}?error=access_denied&state=x`)).toBe(problem('failed'));
  });

  it.each([
    ['/health?x=1#y', '/health?x=1#y'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['https://evil.example/', '/'],
    ['/api/v1/auth/oidc/start', '/'],
    ['/%09/evil.example', '/%09/evil.example'],
    ['\t//evil.example', '/'],
  ])('the way back %j leads to %s of this server, never elsewhere', async (asked, path) => {
    const visitor = new Visitor();
    const query = `?return_to=${encodeURIComponent(asked)}`;
    const answer = await visitor.logInAt(await begin(visitor, query), 'ada', callback);
    expect(await arrive(visitor, answer)).toBe(base + path);
  });

  it('the way back may be long, and is given up before its cookie is too large for a browser', async () => {
    const lengthAfter = async (path: string) => {
      const visitor = new Visitor();
      const url = await begin(visitor, `?return_to=${encodeURIComponent(path)}`);
      const cookie = visitor.cookie(base, 'helmdeck_sign_in')!;
      expect('helmdeck_sign_in'.length + cookie.length).toBeLessThan(4_096);
      return (await arrive(visitor, await visitor.logInAt(url, 'ada', callback))).length - base.length;
    };
    const asking = (state: number) => `/oauth/authorize?state=${'s'.repeat(state)}`;
    expect(await lengthAfter(asking(2_300))).toBe(asking(2_300).length);
    expect(await lengthAfter(asking(3_000))).toBe('/'.length);
  });

  it('answers that no provider gave are refused without a trace in the audit, a person who is refused is in it', async () => {
    const failures = async () =>
      (await server.memory!.audit.list(undefined, 200)).filter(({ action }) => action === 'login.failed');
    const before = (await failures()).length;
    const visitor = new Visitor();
    await arrive(visitor, callback);
    await begin(visitor);
    await arrive(visitor, `${callback}?code=x&state=x`);
    expect(await failures()).toHaveLength(before);
    await signIn('eve');
    expect(await failures()).toHaveLength(before + 1);
    expect((await failures())[0]).toMatchObject({ actor: nameOf('eve') });
  });

  it('a provider that changed its keys is trusted at the next sign-in; one that is down is named as such', async () => {
    const visitor = new Visitor();
    await provider.start();
    const answer = await visitor.logInAt(await begin(visitor), 'ada', callback);
    expect(await arrive(visitor, answer)).toBe(`${base}/`);
    const again = await visitor.logInAt(await begin(visitor), 'ada', callback);
    await provider.stop();
    expect(await arrive(visitor, again)).toBe(problem('provider_unreachable'));
    await provider.start();
    expect((await signIn('ada')).place).toBe(`${base}/`);
  });

  it('an identity that is not signed with a key of the provider is refused', async () => {
    await provider.start({ publishesOtherKeys: true });
    expect((await signIn('ada')).place).toBe(problem('failed'));
    await provider.start();
    expect((await signIn('ada')).place).toBe(`${base}/`);
  });

  it('a provider that names itself otherwise than the setting is not used', async () => {
    const env = {
      HELMDECK_PUBLIC_URL: base,
      HELMDECK_OIDC_ISSUER: `${provider.issuer}/`,
      HELMDECK_OIDC_CLIENT_ID: 'helmdeck',
      HELMDECK_OIDC_CLIENT_SECRET: 'a secret of the client',
      HELMDECK_OIDC_ALLOW: '*',
    };
    const other = await testServer({ socket: true, env });
    const response = await fetch(`${other.url}/api/v1/auth/oidc/start`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(problem('provider_unreachable'));
    await other.close();
  });

  it('a clock that is 30 seconds behind is tolerated, one that is ten minutes behind is not', async () => {
    await provider.start({ clockShiftMs: -30_000 });
    expect((await signIn('ada')).place).toBe(`${base}/`);
    await provider.start({ clockShiftMs: -600_000 });
    expect((await signIn('ada')).place).toBe(problem('failed'));
    await provider.start();
  });

  it('a sign-in begun on one node can be finished on another with the same secret', async () => {
    const port = await freePort();
    const env = {
      HELMDECK_PUBLIC_URL: base,
      HELMDECK_ADDR: `127.0.0.1:${port}`,
      HELMDECK_OIDC_ISSUER: provider.issuer,
      HELMDECK_OIDC_CLIENT_ID: 'helmdeck',
      HELMDECK_OIDC_CLIENT_SECRET: 'a secret of the client',
      HELMDECK_OIDC_ALLOW: '*',
    };
    const other = await testServer({ socket: true, env });
    const visitor = new Visitor();
    const answer = new URL(await visitor.logInAt(await begin(visitor), 'eve', callback));
    const cookie = `helmdeck_sign_in=${visitor.cookie(base, 'helmdeck_sign_in')}`;
    const response = await fetch(other.url + answer.pathname + answer.search, {
      headers: { cookie },
      redirect: 'manual',
    });
    expect(response.headers.get('location')).toBe(`${base}/`);
    await other.close();
  });
});
