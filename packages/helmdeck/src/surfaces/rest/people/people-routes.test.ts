import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../testing/test-server.ts';

const ADMIN_PASSWORD = 'correct horse';
const PASSWORD = 'a long enough password';
const HERE = { 'sec-fetch-site': 'same-origin', host: '127.0.0.1:3000' };
let server: TestServer;
let admin: Record<string, string>;

beforeAll(async () => {
  server = await testServer({ env: { HELMDECK_ADMIN_PASSWORD: ADMIN_PASSWORD } });
  admin = { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
});
afterAll(() => server.close());

type Json = Record<string, unknown>;
async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = admin) {
  const response = await server.call(undefined, method, `/api/v1/${path}`, body, headers);
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}
interface Invited {
  id: string;
  invitation: string;
}
async function invite(name: string, role = 'member'): Promise<Invited> {
  const { json } = await send('POST', 'users', { name, role });
  const { user, invitation } = json as { user: { id: string }; invitation: { url: string } };
  return { id: user.id, invitation: new URL(invitation.url).hash.slice(1) };
}
const cookieOf = ({ headers }: { headers: Headers }) => ({
  cookie: headers.get('set-cookie')!.split(';')[0]!,
  ...HERE,
});
const accept = ({ invitation }: Invited, headers: Record<string, string> = HERE) =>
  send('POST', 'auth/invitation/accept', { invitation, password: PASSWORD }, headers);
const logIn = (username: string, password = PASSWORD) =>
  send('POST', 'auth/login', { username, password }, {});
/** A person with an account, and the headers of their browser session. */
async function join(name: string, role?: string) {
  const invited = await invite(name, role);
  return { ...invited, session: cookieOf(await accept(invited)) };
}
const statusOf = async (path: string, headers: Record<string, string>) =>
  (await send('GET', path, undefined, headers)).status;
const audited = async (action: string) =>
  (await server.memory!.audit.list(undefined, 100)).filter((record) => record.action === action);

describe('accounts over REST', () => {
  it('an admin invites a person, who sets a password with the link, signs in and has a memory of their own', async () => {
    const { id, invitation } = await invite('ada');
    expect((await logIn('ada')).status).toBe(401);
    expect((await send('POST', 'auth/invitation', { invitation }, {})).json).toMatchObject({ name: 'ada' });
    const joined = await accept({ id, invitation });
    expect(joined.json).toMatchObject({ subject: 'ada', client: 'browser', account: { role: 'member' } });
    expect(joined.headers.get('set-cookie')).toMatch(/^helmdeck_session=.*HttpOnly; SameSite=Strict$/);
    const session = cookieOf(joined);
    await send('POST', 'memory/store', { key: 'k', value: 'mine' }, session);
    expect(await statusOf('memory/facts/k', session)).toBe(200);
    expect(await statusOf('users', session)).toBe(403);
    expect(await statusOf('audit', session)).toBe(403);
    const { json } = await send('GET', 'users');
    expect(json.users).toEqual([
      expect.objectContaining({
        id,
        name: 'ada',
        state: 'active',
        usage: { facts: 1, bytes: expect.any(Number) },
      }),
    ]);
    expect(JSON.stringify(json)).not.toMatch(/mine|scrypt|"k"/);
    expect((await logIn('ada')).json).toMatchObject({ subject: 'ada' });
    const [added] = await audited('user.add');
    expect(added).toMatchObject({ actor: 'admin', target: 'ada', detail: 'role member' });
    expect(await audited('user.accept')).toMatchObject([{ actor: 'ada' }]);
  });

  it('an invitation link works once, is refused from a page of another site, and says nothing about why', async () => {
    const invited = await invite('bea');
    const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await accept(invited, elsewhere)).status).toBe(403);
    expect((await accept(invited)).status).toBe(200);
    const again = await accept(invited);
    const unknown = await accept({ ...invited, invitation: `${'0'.repeat(32)}.${'A'.repeat(43)}` });
    expect([again.status, unknown.status]).toEqual([401, 401]);
    const { request_id: _, ...text } = again.json;
    expect(unknown.json).toMatchObject(text);
  });

  it('a wrong name, a wrong password, and an account that is invited or disabled get the same answer', async () => {
    const { id } = await join('cat');
    await send('PATCH', `users/${id}`, { state: 'disabled' });
    await invite('cid');
    const answers = [
      await logIn('cat'),
      await logIn('cid'),
      await logIn('nobody'),
      await logIn('admin', 'no'),
    ];
    const texts = answers.map(({ status, json: { request_id: _, ...text } }) =>
      JSON.stringify([status, text]),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('invalid_credentials');
    expect(
      (await logIn('admin', ADMIN_PASSWORD)).status,
      'the admin, too, is excused from nothing else',
    ).toBe(200);
  });

  it('disabling ends sessions, tokens, connect codes and open streams, and enabling does not revive them', async () => {
    const { id, session } = await join('dan');
    const minted = await send('POST', 'tokens', { name: 'agent', client: 'cursor' }, session);
    const agent = { authorization: `Bearer ${minted.json.token}` };
    const { json: code } = await send('POST', 'connect-codes', { client: 'codex' }, session);
    const stream = await server.call(undefined, 'GET', '/api/v1/memory/events', undefined, agent);
    const reader = stream.body!.getReader();
    await reader.read();
    expect([await statusOf('memory/facts', session), await statusOf('memory/facts', agent)]).toEqual([
      200, 200,
    ]);
    expect((await send('PATCH', `users/${id}`, { state: 'disabled' })).json).toMatchObject({
      state: 'disabled',
    });
    expect([await statusOf('memory/facts', session), await statusOf('memory/facts', agent)]).toEqual([
      401, 401,
    ]);
    const caller = { subject: 'dan' };
    server.memory!.parts.changes.emit(server.memory!.parts.directory.idOf(caller), {
      type: 'store',
      key: 'k',
      atMs: Date.now(),
    });
    expect((await reader.read()).done).toBe(true);
    // Another issuer of the same subject, such as a token signed elsewhere, is refused as well.
    const later = { authorization: `Bearer ${await server.token('dan')}` };
    expect(await statusOf('memory/facts', later)).toBe(401);
    expect((await send('POST', 'tokens', { subject: 'dan' })).status).toBe(409);
    await send('PATCH', `users/${id}`, { state: 'active' });
    expect([await statusOf('memory/facts', session), await statusOf('memory/facts', agent)]).toEqual([
      401, 401,
    ]);
    expect((await send('POST', 'connect-codes/redeem', { code: code.code }, {})).status).toBe(401);
    expect((await logIn('dan')).status).toBe(200);
    expect((await audited('user.change')).map(({ detail }) => detail)).toContain('state disabled');
  });

  it('an admin who becomes a member loses every token with the scope admin', async () => {
    const { id, session } = await join('eva', 'admin');
    expect(await statusOf('users', session)).toBe(200);
    expect((await send('PATCH', `users/${id}`, { role: 'member' })).json).toMatchObject({ role: 'member' });
    expect(await statusOf('users', session)).toBe(401);
    const token = (await logIn('eva')).json.token;
    expect(await statusOf('users', { authorization: `Bearer ${token}` })).toBe(403);
  });

  it('an admin cannot disable, demote or remove their own account, nor a tenant manage the people of the server', async () => {
    const { id, session } = await join('fay', 'admin');
    for (const change of [{ state: 'disabled' }, { role: 'member' }])
      expect((await send('PATCH', `users/${id}`, change, session)).status).toBe(409);
    expect((await send('DELETE', `users/${id}`, undefined, session)).status).toBe(409);
    expect((await send('PATCH', `users/${id}`, { display_name: 'Fay' }, session)).status).toBe(200);
    const tenant = await server.token('boss', { tenant: 'acme', scopes: ['admin'] });
    expect(await statusOf('users', { authorization: `Bearer ${tenant}` })).toBe(403);
  });

  it('removing an account erases its memory with a receipt, and a new account of that name begins empty', async () => {
    const { id, session } = await join('gus');
    await send('POST', 'memory/store', { key: 'k', value: 'v' }, session);
    const { json } = await send('DELETE', `users/${id}`);
    expect(json).toMatchObject({ id, name: 'gus', receipt: { rows: expect.any(Number) } });
    expect((await logIn('gus')).status).toBe(401);
    expect((await send('PATCH', `users/${id}`, {})).status).toBe(404);
    const { session: rejoined } = await join('gus');
    expect(await statusOf('memory/facts/k', rejoined)).toBe(404);
    expect(await statusOf('memory/facts', session)).toBe(401);
    expect((await audited('user.remove'))[0]).toMatchObject({ actor: 'admin', target: 'gus' });
  });

  it('a quota of an account replaces that of the configuration, until it is set to null', async () => {
    const { id, session } = await join('hal');
    await send('PATCH', `users/${id}`, { quota_facts: 1 });
    const store = async (key: string) =>
      (await send('POST', 'memory/store', { key, value: 'v' }, session)).status;
    expect([await store('a'), await store('b')]).toEqual([200, 429]);
    const { json } = await send('GET', 'memory/stats', undefined, session);
    expect(json.quota).toMatchObject({ facts: { used: 1, limit: 1 } });
    await send('PATCH', `users/${id}`, { quota_facts: null });
    expect(await store('b')).toBe(200);
  });

  it.each([0, -1, 1.5, '5', true])('a quota of %j is refused', async (quota) => {
    const { id } = await invite(`quota-${quota}`);
    for (const name of ['quota_facts', 'quota_bytes'])
      expect((await send('PATCH', `users/${id}`, { [name]: quota })).status).toBe(400);
  });

  it('an account that is being removed is disabled before anything is erased', async () => {
    // The clock stands still, so ending the access waits for a whole second.
    const atMs = Date.UTC(2026, 0, 1);
    const alone = await testServer({ now: () => atMs });
    const { accounts } = alone.memory!;
    const { account } = await accounts.add({ name: 'ned', role: 'member' });
    const headers = { authorization: `Bearer ${await alone.token('admin', { scopes: ['admin'] })}` };
    const removal = alone.call(undefined, 'DELETE', `/api/v1/users/${account.id}`, undefined, headers);
    await expect.poll(() => accounts.isDisabled({ subject: 'ned' })).toBe(true);
    expect((await removal).status).toBe(200);
    expect(await accounts.list()).toEqual([]);
    await alone.close();
  });

  it('a server without auth has no accounts to manage', async () => {
    const open = await testServer({ env: { HELMDECK_DISABLE_AUTH: '1' } });
    const { status } = await open.call(undefined, 'GET', '/api/v1/users', undefined, {
      host: '127.0.0.1:3000',
    });
    expect(status).toBe(403);
    await open.close();
  });

  it.each([
    [{ name: '' }, 400],
    [{ name: 'a b' }, 400],
    [{ name: 'https://x#y' }, 400],
    [{ name: 'x'.repeat(65) }, 400],
    [{ name: 'ok', role: 'owner' }, 400],
    [{ name: 'ok', display_name: 'two\nlines' }, 400],
    [{ name: 'ok', more: 1 }, 400],
    [{ name: 'ADMIN' }, 409],
    [{ name: 'ADA' }, 409],
  ])('an account %j is refused with %i', async (body, status) => {
    expect((await send('POST', 'users', body)).status).toBe(status);
  });
});

describe('passwords over REST', () => {
  it('a new password ends the other sessions and logins, keeps this one and connected programs', async () => {
    const { session } = await join('ivy');
    const other = cookieOf(await send('POST', 'auth/session', { username: 'ivy', password: PASSWORD }, HERE));
    const minted = await send('POST', 'tokens', { client: 'cursor' }, other);
    const agent = { authorization: `Bearer ${minted.json.token}` };
    const change = (current: string, next: unknown, headers: Record<string, string> = session) =>
      send('POST', 'auth/password', { current_password: current, new_password: next }, headers);
    expect((await change('wrong', 'another long password')).status).toBe(401);
    expect((await change(PASSWORD, 'short')).json).toMatchObject({ reason: 'weak_password' });
    expect((await change(PASSWORD, 'another long password', agent)).status).toBe(403);
    expect((await change(PASSWORD, 'another long password')).json).toEqual({ sessions_ended: 1 });
    expect([await statusOf('memory/facts', session), await statusOf('memory/facts', other)]).toEqual([
      200, 401,
    ]);
    expect(await statusOf('memory/facts', agent)).toBe(200);
    expect([(await logIn('ivy')).status, (await logIn('ivy', 'another long password')).status]).toEqual([
      401, 200,
    ]);
  });

  it('"sign out everywhere" ends every session and login of the person, and of nobody else', async () => {
    const [{ session }, { session: bystander }] = [await join('jan'), await join('kim')];
    const login = { authorization: `Bearer ${(await logIn('jan')).json.token}` };
    const out = await send('DELETE', 'auth/session?which=all', undefined, session);
    expect(out.json).toEqual({ revoked: true });
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect([await statusOf('memory/facts', session), await statusOf('memory/facts', login)]).toEqual([
      401, 401,
    ]);
    expect(await statusOf('memory/facts', bystander)).toBe(200);
  });

  it('a reset ends the password and the sessions at once, and its link sets a new password', async () => {
    const { id, session } = await join('leo');
    const { json } = await send('POST', `users/${id}/invitation`);
    expect(await statusOf('memory/facts', session)).toBe(401);
    expect((await logIn('leo')).status).toBe(401);
    const { url } = json.invitation as { url: string };
    expect((await accept({ id, invitation: new URL(url).hash.slice(1) })).status).toBe(200);
  });

  it('the admin of the configuration has no password to change here', async () => {
    const body = { current_password: ADMIN_PASSWORD, new_password: PASSWORD };
    expect((await send('POST', 'auth/password', body)).status).toBe(409);
  });

  it('the password of an admin who is configured with the name of an account does not change that account’s', async () => {
    const renamed = await testServer({
      env: { HELMDECK_ADMIN_PASSWORD: ADMIN_PASSWORD, HELMDECK_ADMIN_USERNAME: 'max' },
    });
    const added = await renamed.memory!.accounts.add({ name: 'max', role: 'member' });
    await renamed.memory!.accounts.accept(added.invitation.token, PASSWORD);
    const change = (current: string, headers: Record<string, string>) => {
      const body = { current_password: current, new_password: 'another long password' };
      return renamed.call(undefined, 'POST', '/api/v1/auth/password', body, headers);
    };
    const token = await renamed.token('max', { client: 'login' });
    const headers = { authorization: `Bearer ${token}` };
    expect((await change(ADMIN_PASSWORD, headers)).status).toBe(401);
    expect((await change(PASSWORD, headers)).status).toBe(200);
    await renamed.close();
  });

  it('an account cannot excuse guesses at the password of the admin with a login of its own', async () => {
    const alone = await testServer({ env: { HELMDECK_ADMIN_PASSWORD: ADMIN_PASSWORD } });
    const { account, invitation } = await alone.memory!.accounts.add({ name: 'mal', role: 'member' });
    await alone.memory!.accounts.accept(invitation.token, PASSWORD);
    const from = async (username: string, password: string) =>
      (await alone.call(undefined, 'POST', '/api/v1/auth/login', { username, password })).status;
    expect(await from(account.name, 'a mistake of one’s own')).toBe(401);
    expect([await from('admin', 'guess'), await from('admin', 'guess')]).toEqual([401, 401]);
    expect(await from(account.name, PASSWORD), 'excuses the own mistake').toBe(200);
    for (let guess = 0; guess < 3; guess++) expect(await from('admin', 'guess')).toBe(401);
    expect(await from(account.name, PASSWORD), 'five guesses').toBe(429);
    await alone.close();
  });
});
