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
  expect((await mel('space', 'proposals', 'platform')).out).toMatch(/deploy\/host +proposed/);
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
  const erased = await ada('space', 'erase', 'platform', '--yes', '--receipt', file);
  const id = /Erased platform, the space ([0-9a-f]{32}); the receipt is in /.exec(erased.err)![1]!;
  expect((await ada('verify-receipt', file, '--space', id)).out).toContain(`It is about the space ${id}.`);
  expect((await ada('verify-receipt', file, '--space', '0'.repeat(32))).out).toContain(
    'another caller or space',
  );
  expect((await ada('verify-receipt', file, '--space', 'platform')).code).toBe(2);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ signature: expect.anything() });
  expect((await ada('space', 'list')).out).toBe('No spaces.\n');
});

it('writers decide about the inbox of a space, and who proposed sees what became of it', async () => {
  await admin('space', 'create', 'review', '--owner', 'ada');
  await ada('space', 'grant', 'review', 'mel', '--role', 'proposer');
  for (const [key, value] of [
    ['deploy/host', 'The build host is called walnut'],
    ['deploy/port', 'It listens on port 9000'],
  ] as const) {
    const { out } = await mel('remember', key, value, '--space', 'review');
    expect(out).toContain('See "helmdeck space proposals review".');
  }
  expect((await ada('inbox', '--space', 'review')).out).toMatch(/walnut .* mel /);
  expect((await mel('inbox', '--space', 'review')).code).toBe(4);
  const waiting = await ada('inbox', '--space', 'review', '--json');
  const ids = new Map(
    (JSON.parse(waiting.out).proposals as { key: string; id: string }[]).map(({ key, id }) => [key, id]),
  );
  const named = (key: string) => ids.get(key)!.slice(0, 8);
  const accepted = await ada('inbox', 'accept', named('deploy/host'), '--space', 'review');
  expect([accepted.err, accepted.out]).toEqual(['', 'Remembered deploy/host.\n']);
  const rejected = await ada('inbox', '--space', 'review', 'reject', named('deploy/port'));
  expect(rejected.out).toContain('Declined ');
  const told = (await mel('space', 'proposals', 'review')).out;
  expect(told).toMatch(/deploy\/host +accepted .* ada/);
  expect(told).toMatch(/deploy\/port +rejected .* ada/);
  expect((await ada('inbox')).out).toContain('Nothing waits for you.');
  expect((await mel('get', 'deploy/host', '--space', 'review')).out).toContain('walnut');
  expect((await mel('history', 'deploy/host', '--space', 'review')).out).toMatch(/ mel .*walnut/);
});

it('a space is exported and imported by name', async () => {
  await admin('space', 'create', 'from', '--owner', 'ada');
  await admin('space', 'create', 'to', '--owner', 'grace');
  await ada('space', 'grant', 'from', 'grace', '--role', 'reader');
  await ada('remember', 'deploy/day', 'Deploys happen on Mondays', '--space', 'from');
  const exported = await grace('export', '--space', 'from');
  expect(exported.out).toContain('"key":"deploy/day"');
  const into = (space: string) =>
    runCli(server, ['import', '-', '--space', space], {
      subject: 'grace',
      scopes: PERSON,
      input: exported.out,
    });
  expect((await into('to')).out).toContain('Stored 1');
  expect((await grace('get', 'deploy/day', '--space', 'to')).out).toContain('Mondays');
  expect((await into('from')).code).toBe(4);
  expect((await grace('list')).out).not.toContain('deploy/day');
});

it('a token is minted for some spaces, or for none', async () => {
  await admin('space', 'create', 'narrow', '--owner', 'ada');
  const spacesOf = async (...options: string[]) =>
    JSON.parse((await ada('token', 'mint', '--scope', 'memory:read', ...options, '--json')).out).spaces;
  expect(await spacesOf('--space', 'narrow')).toEqual(['narrow']);
  expect(await spacesOf('--space', '')).toEqual([]);
  expect(await spacesOf()).toBeFalsy();
});
