import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { backupDatabase } from '../../packages/helmdeck/src/server/backup/backup.ts';
import { restoreDatabase } from '../../packages/helmdeck/src/server/backup/restore.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { migrateDatabase } from '../../packages/helmdeck/src/server/migrate/migrate.ts';
import { fakeClock, type TestServer } from '../../packages/helmdeck/src/testing/index.ts';
import {
  application,
  listTools,
  oauthServer,
  PAGE,
  type Person,
  person,
  send,
} from '../support/oauth-person.ts';

// Accounts, sessions, applications and their refresh tokens, through a backup, a migration and a new key.

const PASSWORD = 'a long enough password';
const [OLD_KEY, NEW_KEY] = ['11'.repeat(32), '22'.repeat(32)];
/** Ahead of the machine’s, by which a migration leaves expired rows out: however slow it is, nothing expires here. */
const clock = fakeClock(Date.now() + 86_400_000);
const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-people-'));
  folders.push(folder);
  return folder;
};
const envOf = (folder: string, more: Record<string, string> = {}) => ({
  HELMDECK_DB: join(folder, 'people.db'),
  HELMDECK_DATA_DIR: folder,
  HELMDECK_MEMORY_KEY: OLD_KEY,
  ...more,
});
const open = (folder: string, more?: Record<string, string>) =>
  oauthServer(envOf(folder, more), { now: clock.now });

type App = Awaited<ReturnType<typeof application>>;
interface People {
  ada: Person;
  /** A session that Ada signed out of. */
  ended: Person;
  /** The secret of a link that was not used yet. */
  invitation: string;
  verifier: string;
  /** A code that was not redeemed yet, and the tokens of connections. */
  code: string;
  access: string;
  firstRefresh: string;
  refresh: string;
  disconnected: { access_token: string; refresh_token: string };
}

async function invite(admin: Person, name: string) {
  const response = await admin.call('POST', '/api/v1/users', { name });
  const { user, invitation } = (await response.json()) as {
    user: { id: string };
    invitation: { url: string };
  };
  return { id: user.id, invitation: new URL(invitation.url).hash.slice(1) };
}
const accept = (server: TestServer, invitation: string) =>
  send(server, 'POST', '/api/v1/auth/invitation/accept', {
    headers: PAGE,
    body: JSON.stringify({ invitation, password: PASSWORD }),
  });
const codeOf = async (app: App, who: Person) => (await app.allowed(who)).searchParams.get('code')!;
const statusOf = async (server: TestServer, { headers }: Person) =>
  (await send(server, 'GET', '/api/v1/auth/session', { headers })).status;

async function fill(server: TestServer): Promise<People> {
  const admin = await person(server);
  const [adas, bobs, cys] = [
    await invite(admin, 'ada'),
    await invite(admin, 'bob'),
    await invite(admin, 'cy'),
  ];
  for (const { invitation } of [adas, bobs]) expect((await accept(server, invitation)).status).toBe(200);
  await admin.call('PATCH', `/api/v1/users/${adas.id}`, { quota_facts: 7 });
  await admin.call('PATCH', `/api/v1/users/${bobs.id}`, { state: 'disabled' });
  const [ada, ended] = [await person(server, 'ada', PASSWORD), await person(server, 'ada', PASSWORD)];
  await ended.call('DELETE', '/api/v1/auth/session');
  const app = await application(server);
  const connect = async () => (await app.redeem(await codeOf(app, ada))).body;
  const [kept, disconnected] = [await connect(), await connect()];
  await app.post('/oauth/revoke', { token: disconnected.refresh_token });
  const { body } = await app.refresh(kept.refresh_token);
  return {
    ada,
    ended,
    invitation: cys.invitation,
    verifier: app.verifier,
    code: await codeOf(app, ada),
    access: body.access_token,
    firstRefresh: kept.refresh_token,
    refresh: body.refresh_token,
    disconnected,
  };
}

/** Everything lasts that did, and nothing comes back that had ended. */
async function expectPeople(server: TestServer, before: People): Promise<void> {
  expect(await statusOf(server, before.ada)).toBe(200);
  expect(await statusOf(server, before.ended)).toBe(401);
  const logIn = async (username: string) =>
    (
      await send(server, 'POST', '/api/v1/auth/login', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: PASSWORD }),
      })
    ).status;
  expect([await logIn('ada'), await logIn('bob')]).toEqual([200, 401]);
  const { users } = (await (await (await person(server)).call('GET', '/api/v1/users')).json()) as {
    users: object[];
  };
  expect(users).toMatchObject([
    { name: 'ada', state: 'active', quota: { facts: 7 } },
    { name: 'bob', state: 'disabled' },
    { name: 'cy', state: 'invited' },
  ]);
  expect((await accept(server, before.invitation)).status).toBe(200);
  expect((await accept(server, before.invitation)).status).toBe(401);

  const app = await application(server);
  expect((await app.redeem(before.code, { code_verifier: before.verifier })).status).toBe(200);
  expect((await listTools(server, before.access)).status).toBe(200);
  expect((await listTools(server, before.disconnected.access_token)).status).toBe(401);
  expect((await app.refresh(before.disconnected.refresh_token)).body.error).toBe('invalid_grant');
  // A refresh whose answer was lost before can be repeated afterwards.
  expect((await app.refresh(before.firstRefresh)).body.refresh_token).toBe(before.refresh);
  const next = await app.refresh(before.refresh);
  expect(next.status).toBe(200);
  expect((await app.refresh(before.firstRefresh)).body.error).toBe('invalid_grant');
  expect((await listTools(server, next.body.access_token)).status, 'a reuse is noticed').toBe(401);
}

let filled: string;
let before: People;
let folder: string;
beforeAll(async () => {
  filled = newFolder();
  const server = await open(filled);
  before = await fill(server);
  await server.close();
});
beforeEach(() => {
  folder = newFolder();
  cpSync(filled, folder, { recursive: true });
});
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const nothing = () => {};
const uninterrupted = () => nothing;
const configOf = (of: string) => loadConfig({ ...envOf(of), HELMDECK_JWT_SECRET: 'x'.repeat(32) }).config;

it('people and applications are as they were after a backup is restored on another machine', async () => {
  const [place, elsewhere] = [`${newFolder()}/`, newFolder()];
  const { file } = await backupDatabase(configOf(folder), place, nothing, uninterrupted);
  await restoreDatabase(configOf(elsewhere), file, { force: false }, uninterrupted);
  const server = await open(elsewhere);
  await expectPeople(server, before);
  await server.close();
});

it('an application that refreshed after the backup must be authorized again once it is restored', async () => {
  const file = join(newFolder(), 'copy.db');
  await backupDatabase(configOf(folder), file, nothing, uninterrupted);
  const later = await open(folder);
  const { body } = await (await application(later)).refresh(before.refresh);
  await later.close();
  await restoreDatabase(configOf(folder), file, { force: false }, uninterrupted);
  const server = await open(folder);
  expect((await (await application(server)).refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  expect((await listTools(server, body.access_token)).status).toBe(401);
  await server.close();
});

it('people and applications are as they were after a migration to another database', async () => {
  const elsewhere = newFolder();
  const [from, to] = [envOf(folder).HELMDECK_DB, envOf(elsewhere).HELMDECK_DB];
  await migrateDatabase({ from, to }, nothing, uninterrupted);
  const server = await open(elsewhere);
  await expectPeople(server, before);
  await server.close();
});

it('people and applications are as they were while the memory key is replaced, and with the new key alone', async () => {
  const during = await open(folder, { HELMDECK_MEMORY_KEY: NEW_KEY, HELMDECK_MEMORY_KEY_PREVIOUS: OLD_KEY });
  const rotation = async () => {
    const stats = (await (await during.call('ada', 'GET', '/api/v1/memory/stats')).json()) as {
      rotation?: { finished: boolean };
    };
    return stats.rotation?.finished;
  };
  expect(await statusOf(during, before.ada)).toBe(200);
  expect((await listTools(during, before.access)).status).toBe(200);
  await expect.poll(rotation, { timeout: 60_000 }).toBe(true);
  await during.close();
  const after = await open(folder, { HELMDECK_MEMORY_KEY: NEW_KEY });
  await expectPeople(after, before);
  await after.close();
});
