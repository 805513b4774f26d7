import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../../../testing/run-cli.ts';
import { type TestServer, testServer } from '../../../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
const PERSON = ['memory:read', 'memory:write', 'memory:review', 'spaces:write'];
const as =
  (subject: string, scopes = PERSON) =>
  (...argv: string[]) =>
    runCli(server, argv, { subject, scopes });
const admin = as('admin', ['admin']);
const ada = as('ada');
const grace = as('grace');
const mel = as('mel');

it('the commands of the how-to share a fact with a team, and erase the space with a receipt', async () => {
  expect((await admin('space', 'create', 'platform', '--owner', 'ada')).out).toBe(
    'Made the space platform.\n',
  );
  expect((await ada('space', 'grant', 'platform', 'grace', '--role', 'writer')).out).toBe(
    'grace is now writer of platform.\n',
  );
  await ada('space', 'grant', 'platform', 'mel', '--role', 'proposer', '--for', '30d');
  const members = await ada('space', 'members', 'platform');
  expect(members.out).toMatch(/ada +owner +ada/);
  expect(members.out).toMatch(/mel +proposer +ada +in (29|30) days/);
  expect((await grace('remember', 'deploy/window', 'Deploys happen on Mondays')).code).toBe(0);
  expect((await grace('promote', 'deploy/window', '--space', 'platform')).out).toBe('Copied to platform.\n');
  await mel('remember', 'deploy/host', 'The build host is called walnut');
  expect((await mel('promote', 'deploy/host', '--space', 'platform')).out).toContain(
    'Proposed to platform: a writer there decides',
  );
  // A proposal counts towards the quota as a fact does.
  expect((await ada('space', 'list')).out).toMatch(/platform +owner +2 +1/);
  expect((await ada('recall', 'deploys', '--space', 'platform')).out).toContain('Mondays');
  expect((await ada('get', 'deploy/window')).code).toBe(5);
  const both = await grace('recall', 'deploys', '--spaces', 'mine,platform', '--json');
  const hits = (JSON.parse(both.out) as { results: { key: string; space: string }[] }).results;
  expect(hits.map(({ key, space }) => [space, key])).toEqual([
    ['mine', 'deploy/window'],
    ['platform', 'deploy/window'],
  ]);
  expect((await ada('space', 'revoke', 'platform', 'mel')).out).toBe(
    'mel has no access to platform any more.\n',
  );
  expect((await mel('list', '--space', 'platform')).err).toContain('space');
  expect((await mel('list', '--space', 'platform')).code).toBe(5);
  const unsure = await ada('space', 'erase', 'platform');
  expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('needs a confirmation')]);
  const file = join(mkdtempSync(join(tmpdir(), 'space-')), 'receipt.json');
  expect((await ada('space', 'erase', 'platform', '--yes', '--receipt', file)).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ signature: expect.anything() });
  expect((await ada('space', 'list')).out).toBe('No spaces.\n');
});
