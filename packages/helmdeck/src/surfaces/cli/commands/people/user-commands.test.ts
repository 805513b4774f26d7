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
const run = (...argv: string[]) => runCli(server, ['user', ...argv], { subject: 'admin' });

it('an account goes from its invitation to its removal with the commands of "helmdeck user"', async () => {
  const added = await run('add', 'ada', '--display-name', 'Ada L.');
  expect(added.code, added.err).toBe(0);
  expect(added.out).toMatch(/^http:\/\/127\.0\.0\.1:3000\/invitation#[0-9a-f]{32}\.[\w-]{43}\n$/);
  expect(added.err).toContain('Send this link to ada: it sets the password, once, and expires in ');
  const list = await run('list');
  expect(list.out).toMatch(/ada +Ada L\. +member +invited +0 +0 +never/);
  expect((await run('disable', 'ADA')).out).toContain('Disabled ada');
  expect(server.memory!.accounts.isDisabled({ subject: 'ada' })).toBe(true);
  expect((await run('enable', 'ada')).out).toContain('Enabled ada');
  const reset = await run('reset', 'ada', '--json');
  expect(JSON.parse(reset.out)).toMatchObject({
    user: { name: 'ada' },
    invitation: { url: expect.anything() },
  });
  expect(reset.out).not.toContain(added.out.trim());
  const unsure = await run('remove', 'ada');
  expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('needs a confirmation')]);
  const file = join(mkdtempSync(join(tmpdir(), 'user-')), 'receipt.json');
  expect((await run('remove', 'ada', '--yes', '--receipt', file)).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ signature: expect.anything() });
  expect((await run('list')).out).toBe('No accounts.\n');
  expect((await run('disable', 'ada')).code).toBe(5);
});
