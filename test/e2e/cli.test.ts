import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, inThisProcess, type Sandbox } from './helmdeck-process.ts';

// The commands on a database of their own: the built program as a separate process where the process matters, otherwise
// the same commands in this process. Everything else is tested beside the code.

let sandbox: Sandbox;
let cli: ReturnType<typeof inThisProcess>;
beforeEach(async () => {
  sandbox = createSandbox();
  cli = inThisProcess(sandbox);
});
afterEach(() => sandbox.remove());

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** The life cycle of facts; the same with a server and without one. */
async function lifeOfFacts(): Promise<void> {
  expect(
    await cli.json('remember', 'user/editor', 'prefers', 'vim', '--tag', 'a', '--tag', 'b', '--ttl', '12h'),
  ).toMatchObject({ key: 'user/editor', created: true, version: 1 });
  const piped = await cli.run(['remember', 'user/editor', '-', '--if-version', '1'], {
    input: 'prefers emacs\n',
  });
  expect(piped).toMatchObject({ code: 0 });
  expect(piped.out).toContain('Updated (version 2) user/editor');
  expect(await cli.run(['remember', 'user/editor', 'x', '--if-version', '1'])).toMatchObject({ code: 6 });
  await cli.json('remember', 'a b/ü?#%..', 'odd key', '--category', 'ops');

  expect((await cli.run(['get', 'user/editor'])).out).toBe('prefers emacs\n');
  expect((await cli.run(['get', 'user/editor', '--version', '1'])).out).toBe('prefers vim\n');
  expect((await cli.run(['get', 'a b/ü?#%..'])).out).toBe('odd key\n');
  expect(await cli.json('history', 'user/editor')).toMatchObject({
    versions: [{ version: 2 }, { version: 1 }],
  });
  const { facts } = await cli.json<{ facts: { key: string }[] }>('list', '--sort', 'key', '--all');
  expect(facts.map((fact) => fact.key)).toEqual(['a b/ü?#%..', 'user/editor']);
  expect(await cli.json('list', '--prefix', 'user/', '--limit', '1')).toMatchObject({
    facts: [{ value: 'prefers emacs' }],
  });
  expect((await cli.run(['list', '--category', 'ops'])).out).toMatch(
    /^KEY +VALUE.*\na b\/ü\?#%\.\. +odd key +ops/,
  );
  expect(await cli.json('stats')).toMatchObject({ scope: 'caller=admin', counts: { fact: 2 } });
  expect(await cli.json('callers')).toEqual({
    callers: [
      { namespace: 'admin', count: 2, tokens: 0, last_call_at: null, last_write_at: expect.any(String) },
    ],
  });

  const file = join(sandbox.dir, 'facts.jsonl');
  expect(await cli.json('export', file)).toMatchObject({ file, facts: 2 });
  expect(modeOf(file)).toBe(0o600);
  expect((await cli.run(['export'])).out).toBe(readFileSync(file, 'utf8'));
  expect(await cli.run(['export', file])).toMatchObject({ code: 2, out: '' });

  expect(await cli.run(['forget', 'facts'])).toMatchObject({ code: 2, out: '' });
  expect(await cli.json('forget', 'key:user/editor')).toEqual({ scope: 'key:user/editor', deleted: 1 });
  expect(await cli.json('forget', 'prefix:a b/', '--yes')).toMatchObject({ deleted: 1 });
  expect(await cli.run(['get', 'user/editor'])).toMatchObject({ code: 5, out: '' });

  expect(await cli.json('import', file, '--dry-run')).toMatchObject({
    dry_run: true,
    stored: 2,
    failed: 0,
  });
  expect(await cli.json('import', file)).toMatchObject({ dry_run: false, stored: 2 });
  expect((await cli.run(['import', file])).out).toContain('unchanged 2');
  const mixed = '{"key":"ok","value":"yes"}\n\n{"key":"broken"\n';
  const refused = await cli.run(['import', '-'], { input: mixed });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.out).toContain('line 3: The line is not JSON.');

  const minted = await cli.json<{ token: string; jti: string }>(
    'token',
    'mint',
    '--subject',
    'alice',
    '--client',
    'test',
  );
  expect(minted).toMatchObject({
    subject: 'alice',
    scopes: ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'],
  });
  const asAlice = { env: { HELMDECK_TOKEN: minted.token } };
  expect((await cli.run(['remember', 'mine', 'hers'], asAlice)).code).toBe(0);
  expect(await cli.json('list', '--caller', 'alice')).toMatchObject({ facts: [{ key: 'mine' }] });
  expect((await cli.run(['list', '--caller', 'admin', '--json'], asAlice)).code).toBe(4);
  expect(JSON.stringify(await cli.json('token', 'list'))).not.toContain(minted.token);
  expect(await cli.json('token', 'revoke', minted.jti)).toEqual({
    revoked: true,
    known: true,
    tokens: 1,
  });
  const revoked = await cli.run(['list', '--json'], asAlice);
  expect(revoked.code).toBe(3);
  expect(JSON.parse(revoked.err)).toMatchObject({ error: 'token_revoked' });

  expect((await cli.json<{ records: object[] }>('audit', 'list')).records.length).toBeGreaterThan(3);
  expect(await cli.json('audit', 'verify')).toMatchObject({ ok: true });
  expect(await cli.json('doctor')).toMatchObject({ ok: true });
}

describe('helmdeck', () => {
  it('the program reads stdin, prints its result to stdout and ends with the code of the outcome', async () => {
    await sandbox.json('init');
    expect(await sandbox.run(['remember', 'user/editor', '-'], { input: 'vim\n' })).toMatchObject({
      code: 0,
    });
    expect(await sandbox.run(['get', 'user/editor'])).toEqual({ code: 0, out: 'vim\n', err: '' });
    const server = await sandbox.serve();
    expect(await sandbox.json('list')).toMatchObject({ facts: [{ key: 'user/editor', value: 'vim' }] });
    expect(await sandbox.run(['get', 'none'])).toMatchObject({ code: 5, out: '' });
    expect((await sandbox.run(['lst'])).code).toBe(2);
    expect(await server.stop()).toBe(0);
  });

  it('commands find the server that serve started', async () => {
    expect(await sandbox.json('init')).toMatchObject({
      created: expect.arrayContaining(['HELMDECK_MEMORY_KEY']),
    });
    const server = await sandbox.serve();
    expect(server.out()).toBe(`Helmdeck is listening on ${server.url}\n`);
    await lifeOfFacts();
    expect(await server.stop()).toBe(0);
    expect(existsSync(join(sandbox.dir, 'data/server.json'))).toBe(false);
  });

  it('commands open the database themselves when no server runs', async () => {
    await cli.json('init');
    await lifeOfFacts();
  });

  it('a second process and a taken port are refused with an explanation', async () => {
    await cli.json('init');
    const server = await sandbox.serve();
    const second = await sandbox.run(['serve']);
    expect(second.code).toBe(10);
    expect(second.err).toContain('Another Helmdeck process is using this database.');
    const port = await sandbox.run(['serve'], {
      env: { HELMDECK_ADDR: new URL(server.url).host, HELMDECK_DB: join(sandbox.dir, 'other.db') },
    });
    expect(port.code).toBe(1);
    expect(port.err).toContain('is already in use');
    // The options of the command line replace those of the environment.
    const chosen = await sandbox.run(['serve', '--port', new URL(server.url).port], {
      env: { HELMDECK_ADDR: '127.0.0.1:0', HELMDECK_DB: join(sandbox.dir, 'other.db') },
    });
    expect(chosen.err).toContain(`${new URL(server.url).host} is already in use`);
    expect(await sandbox.run(['serve', '--port', '65536'])).toMatchObject({ code: 2 });
    expect(await sandbox.run(['serve', '--host', '127.0.0.1:80'])).toMatchObject({ code: 2 });
    // Without the server's address the commands run into the lock.
    rmSync(join(sandbox.dir, 'data/server.json'));
    expect(await cli.run(['list', '--json'])).toMatchObject({ code: 10 });
    const doctor = await cli.run(['doctor']);
    expect(doctor.code).toBe(10);
    expect(doctor.out).toContain('Another process has the database open');
  });

  it('wrong usage, settings and addresses are explained', async () => {
    for (const args of [
      ['lst'],
      ['get'],
      ['remember', 'k', 'v', '--ttl', 'soon'],
      ['token'],
      ['forget', 'everything'],
    ]) {
      expect((await cli.run(args)).code, args.join(' ')).toBe(2);
    }
    expect(JSON.parse((await cli.run(['lst', '--json'])).err)).toMatchObject({
      error: 'invalid_input',
      message: expect.stringContaining('Did you mean list'),
    });
    const typo = await sandbox.run(['serve'], { env: { HELMDECK_ADR: 'x' } });
    expect(typo).toMatchObject({ code: 2, out: '' });
    expect(typo.err).toContain('did you mean HELMDECK_ADDR?');
    const nobody = await cli.run(['list'], { env: { HELMDECK_URL: 'http://127.0.0.1:9' } });
    expect(nobody.code).toBe(10);
    expect(nobody.err).toContain('No Helmdeck server answers at http://127.0.0.1:9.');
    expect((await cli.run([])).out).toContain('Remember and recall:');
    expect((await cli.run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await cli.json('config')).toMatchObject({ warnings: [] });
    const masked = await cli.run(['config'], { env: { HELMDECK_TOKEN: 'very-secret' } });
    expect(masked.out).not.toContain('very-secret');
  });

  it('recall finds facts from vague words, with and without a server, and says when there are none', async () => {
    await cli.json('init');
    const server = await sandbox.serve();
    const konflux = 'Releases go out through Konflux pipelines, \u001b[31mnever\u001b[0m by hand';
    await cli.json('remember', 'deploy/konflux', konflux, '--category', 'ops', '--tag', 'ci');
    await cli.json('remember', 'db/staging', 'Postgres on staging listens on port 5433');
    const ask = ['recall', 'what', 'was', 'that', 'thing', 'about', 'konflux', 'deploys?'];
    const asked = await cli.run([...ask, '--why']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toMatch(/^[01]\.\d\d {2}deploy\/konflux {2}ops · ci · \S+/);
    expect(asked.out).toContain('␛[31mnever␛[0m by hand');
    expect(asked.out).toContain('“konflux” in its text and key');
    expect(asked.out).not.toContain('\u001b');
    const found = await cli.json<{ results: { key: string }[] }>(...ask, '--tag', 'ci');
    expect(found).toMatchObject({ results: [{ key: 'deploy/konflux' }], abstained: false });
    expect(await cli.json(...ask, '--category', 'none')).toMatchObject({ results: [], abstained: true });
    expect((await cli.run(['recall', 'quantum chromodynamics'])).out).toBe('Nothing found.\n');
    expect(await cli.run(['recall', 'x', '--limit', '101'])).toMatchObject({ code: 2, out: '' });
    expect(await cli.json('list', '-q', 'konflux deploys')).toMatchObject({
      facts: [{ key: 'deploy/konflux' }],
    });

    const again = await cli.run(['remember', 'db/port', 'Postgres on staging listens on port 5432']);
    expect(again.out).toMatch(/^Remembered db\/port .*\n$/);
    expect(again.err).toContain('conflicts with db/staging: 5433 (this one: 5432)');

    await server.stop();
    expect((await cli.run(ask)).out).toMatch(/^[01]\.\d\d {2}deploy\/konflux /);
    await cli.json('forget', 'key:deploy/konflux');
    expect((await cli.run(ask)).out).not.toContain('deploy/konflux');
  });

  it('migrate takes HELMDECK_DB for the address that is not given, and needs at least one', async () => {
    await cli.json('init');
    await cli.json('remember', 'k', 'v');
    const copy = join(sandbox.dir, 'data/copy.db');
    expect(await cli.run(['migrate'])).toMatchObject({ code: 2, out: '' });
    const env = { HELMDECK_DB: copy };
    expect(await cli.run(['migrate', '--from', sandbox.db], { env })).toMatchObject({ code: 0 });
    expect((await cli.run(['get', 'k'], { env })).out).toBe('v\n');
    const back = join(sandbox.dir, 'data/back.db');
    expect(await cli.run(['migrate', '--to', back], { env })).toMatchObject({ code: 0 });
    expect((await cli.run(['get', 'k'], { env: { HELMDECK_DB: back } })).out).toBe('v\n');
  });

  it('verify-receipt accepts a receipt offline and rejects a changed one', async () => {
    await cli.json('init');
    const server = await sandbox.serve();
    await cli.json('remember', 'k', 'v');
    const receipt = join(sandbox.dir, 'receipt.json');
    expect(await cli.json('forget', 'erase', '--yes', '--receipt', receipt)).toMatchObject({
      deleted: 1,
    });
    const keys = `${server.url}/.well-known/helmdeck-receipts.json`;
    expect(await cli.json('verify-receipt', receipt, '--subject', 'admin', '--keys', keys)).toMatchObject({
      valid: true,
      key_trusted: true,
    });
    await server.stop();
    expect((await cli.run(['verify-receipt', receipt])).out).toMatch(/^valid +1 entry was erased/);
    expect((await cli.run(['verify-receipt', receipt, '--subject', 'bob'])).code).toBe(1);
    writeFileSync(receipt, readFileSync(receipt, 'utf8').replace('"rows": 1', '"rows": 9'));
    const tampered = await cli.run(['verify-receipt', receipt, '--json']);
    expect(tampered.code).toBe(1);
    expect(JSON.parse(tampered.out)).toMatchObject({ valid: false });
    expect((await cli.run(['verify-receipt', join(sandbox.dir, 'none.json')])).code).toBe(2);
  });
});

describe('helmdeck backup and restore', () => {
  it('backup copies a database in use, and restore brings it back', async () => {
    await cli.json('init');
    const server = await sandbox.serve();
    await cli.json('remember', 'k', 'before');
    const file = join(sandbox.dir, 'monday.db');
    expect(await cli.json('backup', file)).toMatchObject({ file, namespaces: 2 });
    expect(modeOf(file)).toBe(0o600);
    expect(await cli.run(['backup', file])).toMatchObject({ code: 6, out: '' });
    await cli.json('remember', 'k', 'after');
    expect(await cli.run(['restore', file])).toMatchObject({ code: 10 });
    await server.stop('SIGKILL'); // writes that are only in the WAL of the current database must be kept too

    const restored = await cli.json<{ kept_aside: string }>('restore', file);
    expect(restored).toMatchObject({ database: sandbox.db, key_fits: true });
    expect((await cli.run(['get', 'k'])).out).toBe('before\n');
    const aside = { env: { HELMDECK_DB: restored.kept_aside, HELMDECK_DATA_DIR: join(sandbox.dir, 'data') } };
    expect((await cli.run(['get', 'k'], aside)).out).toBe('after\n');
    expect(readdirSync(sandbox.dir).filter((name) => name.includes('partial'))).toEqual([]);
    expect(readdirSync(join(sandbox.dir, 'data')).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('restore refuses other files, damaged backups and backups of another key', async () => {
    await cli.json('init');
    await cli.json('remember', 'k', 'v');
    const file = join(sandbox.dir, 'backup.db');
    await cli.json('backup', file);
    const text = join(sandbox.dir, 'text.db');
    writeFileSync(text, 'this is not a database at all, but it is long enough to look at'.repeat(200));
    expect(await cli.run(['restore', text])).toMatchObject({ code: 10, out: '' });
    expect(await cli.run(['restore', join(sandbox.dir, 'none.db')])).toMatchObject({ code: 2 });
    const foreign = new DatabaseSync(join(sandbox.dir, 'foreign.db'));
    foreign.exec('CREATE TABLE t (x)');
    foreign.close();
    expect((await cli.run(['restore', join(sandbox.dir, 'foreign.db')])).err).toContain(
      'not one of Helmdeck',
    );
    const other = { env: { HELMDECK_MEMORY_KEY: 'ab'.repeat(32) } };
    const wrong = await cli.run(['restore', file], other);
    expect(wrong).toMatchObject({ code: 10 });
    expect(wrong.err).toContain('does not open this backup');
    expect((await cli.run(['get', 'k'])).out).toBe('v\n');
    expect((await cli.run(['restore', file, '--force', '--json'], other)).out).toContain('"key_fits":false');
    expect((await cli.run(['get', 'k'])).out).toBe('v\n');
  });
});
