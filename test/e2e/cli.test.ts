import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createPlace, type Place } from './helmdeck-process.ts';

// Runs the built program as a separate process on its own database. Everything else is tested beside the code.

let place: Place;
afterEach(() => place?.remove());

const modeOf = (path: string) => statSync(path).mode & 0o777;
const damageRow = (db: string) => {
  const file = new DatabaseSync(db);
  file.exec(
    "UPDATE rows SET body = zeroblob(length(body)) WHERE seq = (SELECT max(seq) FROM rows WHERE kind = 'fact')",
  );
  file.close();
};

/** The life cycle of facts; the same with a server and without one. */
async function lifeOfFacts(here: Place): Promise<void> {
  expect(
    await here.json('remember', 'user/editor', 'prefers', 'vim', '--tag', 'a', '--tag', 'b', '--ttl', '12h'),
  ).toMatchObject({ key: 'user/editor', created: true, version: 1 });
  const piped = await here.run(['remember', 'user/editor', '-', '--if-version', '1'], {
    input: 'prefers emacs\n',
  });
  expect(piped).toMatchObject({ code: 0 });
  expect(piped.out).toContain('Updated (version 2) user/editor');
  expect(await here.run(['remember', 'user/editor', 'x', '--if-version', '1'])).toMatchObject({ code: 6 });
  await here.json('remember', 'a b/ü?#%..', 'odd key', '--category', 'ops');

  expect((await here.run(['get', 'user/editor'])).out).toBe('prefers emacs\n');
  expect((await here.run(['get', 'user/editor', '--version', '1'])).out).toBe('prefers vim\n');
  expect((await here.run(['get', 'a b/ü?#%..'])).out).toBe('odd key\n');
  expect(await here.json('history', 'user/editor')).toMatchObject({
    versions: [{ version: 2 }, { version: 1 }],
  });
  const { facts } = await here.json<{ facts: { key: string }[] }>('list', '--sort', 'key', '--all');
  expect(facts.map((fact) => fact.key)).toEqual(['a b/ü?#%..', 'user/editor']);
  expect(await here.json('list', '--prefix', 'user/', '--limit', '1')).toMatchObject({
    facts: [{ value: 'prefers emacs' }],
  });
  expect((await here.run(['list', '--category', 'ops'])).out).toMatch(
    /^KEY +VALUE.*\na b\/ü\?#%\.\. +odd key +ops/,
  );
  expect(await here.json('stats')).toMatchObject({ scope: 'caller=admin', counts: { fact: 2 } });
  expect(await here.json('callers')).toEqual({ callers: [{ namespace: 'admin', count: 2 }] });

  const file = join(here.dir, 'facts.jsonl');
  expect(await here.json('export', file)).toMatchObject({ file, facts: 2 });
  expect(modeOf(file)).toBe(0o600);
  expect((await here.run(['export'])).out).toBe(readFileSync(file, 'utf8'));
  expect(await here.run(['export', file])).toMatchObject({ code: 2, out: '' });

  expect(await here.run(['forget', 'facts'])).toMatchObject({ code: 2, out: '' });
  expect(await here.json('forget', 'key:user/editor')).toEqual({ scope: 'key:user/editor', deleted: 1 });
  expect(await here.json('forget', 'prefix:a b/', '--yes')).toMatchObject({ deleted: 1 });
  expect(await here.run(['get', 'user/editor'])).toMatchObject({ code: 5, out: '' });

  expect(await here.json('import', file, '--dry-run')).toMatchObject({ dry_run: true, stored: 2, failed: 0 });
  expect(await here.json('import', file)).toMatchObject({ dry_run: false, stored: 2 });
  expect((await here.run(['import', file])).out).toContain('unchanged 2');
  const mixed = '{"key":"ok","value":"yes"}\n\n{"key":"broken"\n';
  const refused = await here.run(['import', '-'], { input: mixed });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.out).toContain('line 3: The line is not JSON.');

  const minted = await here.json<{ token: string; jti: string }>(
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
  expect((await here.run(['remember', 'mine', 'hers'], asAlice)).code).toBe(0);
  expect(await here.json('list', '--caller', 'alice')).toMatchObject({ facts: [{ key: 'mine' }] });
  expect((await here.run(['list', '--caller', 'admin', '--json'], asAlice)).code).toBe(4);
  expect(JSON.stringify(await here.json('token', 'list'))).not.toContain(minted.token);
  expect(await here.json('token', 'revoke', minted.jti)).toEqual({ revoked: true });
  const revoked = await here.run(['list', '--json'], asAlice);
  expect(revoked.code).toBe(3);
  expect(JSON.parse(revoked.err)).toMatchObject({ error: 'token_revoked' });

  expect((await here.json<{ records: object[] }>('audit', 'list')).records.length).toBeGreaterThan(3);
  expect(await here.json('audit', 'verify')).toMatchObject({ ok: true });
  expect(await here.json('doctor')).toMatchObject({ ok: true });
}

describe('helmdeck', () => {
  it('commands find the server that serve started', async () => {
    place = createPlace();
    expect(await place.json('init')).toMatchObject({
      created: expect.arrayContaining(['HELMDECK_MEMORY_KEY']),
    });
    const server = await place.serve();
    expect(server.out()).toBe(`Helmdeck is listening on ${server.url}\n`);
    await lifeOfFacts(place);
    expect(await server.stop()).toBe(0);
    expect(existsSync(join(place.dir, 'data/server.json'))).toBe(false);
  });

  it('commands open the database themselves when no server runs', async () => {
    place = createPlace();
    await place.json('init');
    await lifeOfFacts(place);
  });

  it('serve --init prints a login, a token and first steps, every time', async () => {
    place = createPlace();
    const first = await place.serve('--init');
    const text = first.out();
    expect(text).toContain(`First start: created HELMDECK_MEMORY_KEY`);
    const secrets = join(place.dir, 'data/secrets.env');
    expect(text).toContain(secrets);
    expect(modeOf(secrets)).toBe(0o600);
    expect(modeOf(join(place.dir, 'data/server.json'))).toBe(0o600);
    for (const line of text.split('\n').filter((each) => each.startsWith('  curl'))) {
      const done = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
      expect(JSON.parse(done.stdout)).toMatchObject({ key: 'user/editor' });
    }
    const [, user, password] = /Login +(\S+) \/ (\S+)/.exec(text)!;
    const login = await fetch(`${first.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user, password }),
    });
    expect(login.status).toBe(200);
    // All act as the same subject: login and commands see what curl stored.
    expect((await place.run(['get', 'user/editor'])).out).toBe('prefers vim\n');
    await first.stop('SIGINT');

    const second = await place.serve('--init');
    const rest = (all: string) =>
      all.slice(all.indexOf('  Login')).replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS');
    expect(rest(second.out())).toBe(rest(text));
    expect(second.out()).not.toContain('First start');
    const { tokens } = await place.json<{ tokens: { client: string }[] }>('token', 'list');
    expect(tokens.filter((token) => token.client === 'first-token')).toHaveLength(1);
  });

  it('serve without secrets prints a warning and a valid token', async () => {
    place = createPlace();
    const server = await place.serve();
    const token = /^Token: (\S+)$/m.exec(server.out())![1]!;
    expect(server.err()).toContain('HELMDECK_JWT_SECRET is not set');
    const env = { HELMDECK_URL: server.url, HELMDECK_TOKEN: token };
    expect((await place.run(['remember', 'k', 'v'], { env })).code).toBe(0);
    await server.stop();
    const alone = await place.run(['get', 'k']);
    expect(alone).toMatchObject({ code: 10, out: '' });
    expect(alone.err).toContain('no memory key is set');
  });

  it('a second process and a taken port are refused with an explanation', async () => {
    place = createPlace();
    await place.json('init');
    const server = await place.serve();
    const second = await place.run(['serve']);
    expect(second.code).toBe(10);
    expect(second.err).toContain('Another Helmdeck process is using this database.');
    const port = await place.run(['serve'], {
      env: { HELMDECK_ADDR: new URL(server.url).host, HELMDECK_DB: join(place.dir, 'other.db') },
    });
    expect(port.code).toBe(1);
    expect(port.err).toContain('is already in use');
    // Without the server's address the commands run into the lock.
    rmSync(join(place.dir, 'data/server.json'));
    expect(await place.run(['list', '--json'])).toMatchObject({ code: 10 });
    const doctor = await place.run(['doctor']);
    expect(doctor.code).toBe(10);
    expect(doctor.out).toContain('Another process has the database open');
  });

  it('wrong usage, settings and addresses are explained', async () => {
    place = createPlace();
    for (const args of [
      ['lst'],
      ['get'],
      ['remember', 'k', 'v', '--ttl', 'soon'],
      ['token'],
      ['forget', 'everything'],
    ]) {
      expect((await place.run(args)).code, args.join(' ')).toBe(2);
    }
    expect(JSON.parse((await place.run(['lst', '--json'])).err)).toMatchObject({
      error: 'invalid_input',
      message: expect.stringContaining('Did you mean list'),
    });
    const typo = await place.run(['serve'], { env: { HELMDECK_ADR: 'x' } });
    expect(typo).toMatchObject({ code: 2, out: '' });
    expect(typo.err).toContain('did you mean HELMDECK_ADDR?');
    const nobody = await place.run(['list'], { env: { HELMDECK_URL: 'http://127.0.0.1:9' } });
    expect(nobody.code).toBe(10);
    expect(nobody.err).toContain('No Helmdeck server answers at http://127.0.0.1:9.');
    expect((await place.run([])).out).toContain('Remember and recall:');
    expect((await place.run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await place.json('config')).toMatchObject({ warnings: [] });
    const masked = await place.run(['config'], { env: { HELMDECK_TOKEN: 'very-secret' } });
    expect(masked.out).not.toContain('very-secret');
  });

  it('recall finds facts from vague words, with and without a server, and says when there are none', async () => {
    place = createPlace();
    await place.json('init');
    const server = await place.serve();
    const konflux = 'Releases go out through Konflux pipelines, \u001b[31mnever\u001b[0m by hand';
    await place.json('remember', 'deploy/konflux', konflux, '--category', 'ops', '--tag', 'ci');
    await place.json('remember', 'db/staging', 'Postgres on staging listens on port 5433');
    const ask = ['recall', 'what', 'was', 'that', 'thing', 'about', 'konflux', 'deploys?'];
    const asked = await place.run([...ask, '--why']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toMatch(/^0\.\d\d {2}deploy\/konflux {2}ops · ci · \S+/);
    expect(asked.out).toContain('␛[31mnever␛[0m by hand');
    expect(asked.out).toContain('in the key: konflux');
    expect(asked.out).not.toContain('\u001b');
    const found = await place.json<{ results: { key: string }[] }>(...ask, '--tag', 'ci');
    expect(found).toMatchObject({ results: [{ key: 'deploy/konflux' }], abstained: false });
    expect(await place.json(...ask, '--category', 'none')).toMatchObject({ results: [], abstained: true });
    expect((await place.run(['recall', 'quantum chromodynamics'])).out).toBe('Nothing found.\n');
    expect(await place.run(['recall', 'x', '--limit', '101'])).toMatchObject({ code: 2, out: '' });
    expect(await place.json('list', '-q', 'konflux deploys')).toMatchObject({
      facts: [{ key: 'deploy/konflux' }],
    });

    const again = await place.run(['remember', 'db/port', 'Postgres on staging listens on port 5432']);
    expect(again.out).toMatch(/^Remembered db\/port .*\n$/);
    expect(again.err).toContain('conflicts with db/staging: 5433 (this one: 5432)');

    await server.stop();
    expect((await place.run(ask)).out).toMatch(/^0\.\d\d {2}deploy\/konflux /);
    await place.json('forget', 'key:deploy/konflux');
    expect((await place.run(ask)).out).not.toContain('deploy/konflux');
  });

  it('verify-receipt accepts a receipt offline and rejects a changed one', async () => {
    place = createPlace();
    await place.json('init');
    const server = await place.serve();
    await place.json('remember', 'k', 'v');
    const receipt = join(place.dir, 'receipt.json');
    expect(await place.json('forget', 'erase', '--yes', '--receipt', receipt)).toMatchObject({ deleted: 1 });
    const keys = `${server.url}/.well-known/helmdeck-receipts.json`;
    expect(await place.json('verify-receipt', receipt, '--subject', 'admin', '--keys', keys)).toMatchObject({
      valid: true,
      key_trusted: true,
    });
    await server.stop();
    expect((await place.run(['verify-receipt', receipt])).out).toMatch(/^valid/);
    expect((await place.run(['verify-receipt', receipt, '--subject', 'bob'])).code).toBe(1);
    writeFileSync(receipt, readFileSync(receipt, 'utf8').replace('"rows": 1', '"rows": 9'));
    const tampered = await place.run(['verify-receipt', receipt, '--json']);
    expect(tampered.code).toBe(1);
    expect(JSON.parse(tampered.out)).toMatchObject({ valid: false });
    expect((await place.run(['verify-receipt', join(place.dir, 'none.json')])).code).toBe(2);
  });
});

describe('helmdeck doctor', () => {
  const check = async (name: string) => {
    const { out } = await place.run(['doctor', '--json']);
    return (JSON.parse(out) as { checks: { name: string; status: string; message: string }[] }).checks.find(
      (each) => each.name === name,
    );
  };

  it('doctor finds a damaged row and purges only that one', async () => {
    place = createPlace();
    await place.json('init');
    await place.json('remember', 'good', 'stays');
    await place.json('remember', 'bad', 'goes');
    damageRow(place.db);
    const sick = await place.run(['doctor']);
    expect(sick.code).toBe(10);
    expect(sick.out).toMatch(/FAIL +Rows +1 of \d+ rows/);
    expect(await place.run(['doctor', '--purge-unreadable'])).toMatchObject({ code: 2, out: '' });
    const purged = await place.json('doctor', '--purge-unreadable', '--yes');
    expect(purged).toMatchObject({ ok: true, removed: { everything: false, rows: 1, namespaces: 0 } });
    expect((await place.run(['get', 'good'])).out).toBe('stays\n');
    expect((await place.run(['get', 'bad'])).code).toBe(5);
  });

  it('doctor reports a wrong key without changing anything, and purges after a lost key', async () => {
    place = createPlace();
    await place.json('init');
    await place.json('remember', 'k', 'v');
    const secrets = join(place.dir, 'data/secrets.env');
    const kept = readFileSync(secrets);
    rmSync(secrets);
    expect(await place.run(['init'])).toMatchObject({ code: 10 });
    expect(await place.run(['doctor', '--purge-unreadable', '--yes'])).toMatchObject({ code: 10 });
    await place.json('init', '--force');
    expect(await check('Key fits')).toMatchObject({ status: 'fail' });
    expect(await place.run(['get', 'k'])).toMatchObject({ code: 10, out: '' });
    const fresh = readFileSync(secrets);
    writeFileSync(secrets, kept);
    expect((await place.run(['get', 'k'])).out).toBe('v\n');

    writeFileSync(secrets, fresh);
    const purged = await place.json<{ removed: { rows: number } }>('doctor', '--purge-unreadable', '--yes');
    expect(purged).toMatchObject({ ok: true, removed: { everything: true, namespaces: 2 } });
    expect(purged.removed.rows).toBeGreaterThan(1);
    expect((await place.run(['get', 'k'])).code).toBe(5);
    expect(await place.json('remember', 'k', 'anew')).toMatchObject({ created: true });
  });

  it('doctor reports loose permissions, a running server and unreadable settings', async () => {
    place = createPlace();
    await place.json('init');
    chmodSync(join(place.dir, 'data/secrets.env'), 0o644);
    expect(await check('Secrets file')).toMatchObject({ status: 'fail' });
    chmodSync(join(place.dir, 'data/secrets.env'), 0o600);
    await place.serve();
    expect(await check('Server')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('Running at'),
    });
    expect(await place.run(['doctor', '--purge-unreadable', '--yes'])).toMatchObject({ code: 10 });
    const broken = await place.run(['doctor'], { env: { HELMDECK_LOG_LEVEL: 'loud' } });
    expect(broken).toMatchObject({ code: 10 });
    expect(broken.out).toContain('HELMDECK_LOG_LEVEL must be one of');
  });
});

describe('helmdeck backup and restore', () => {
  it('backup copies a database in use, and restore brings it back', async () => {
    place = createPlace();
    await place.json('init');
    const server = await place.serve();
    await place.json('remember', 'k', 'before');
    const file = join(place.dir, 'monday.db');
    expect(await place.json('backup', file)).toMatchObject({ file, namespaces: 2 });
    expect(modeOf(file)).toBe(0o600);
    expect(await place.run(['backup', file])).toMatchObject({ code: 6, out: '' });
    await place.json('remember', 'k', 'after');
    expect(await place.run(['restore', file])).toMatchObject({ code: 10 });
    await server.stop('SIGKILL'); // what is only in the log of the present database must be kept too

    const restored = await place.json<{ kept_aside: string }>('restore', file);
    expect(restored).toMatchObject({ database: place.db, key_fits: true });
    expect((await place.run(['get', 'k'])).out).toBe('before\n');
    const aside = { env: { HELMDECK_DB: restored.kept_aside, HELMDECK_DATA_DIR: join(place.dir, 'data') } };
    expect((await place.run(['get', 'k'], aside)).out).toBe('after\n');
    expect(readdirSync(place.dir).filter((name) => name.includes('partial'))).toEqual([]);
    expect(readdirSync(join(place.dir, 'data')).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('restore refuses other files, damaged backups and backups of another key', async () => {
    place = createPlace();
    await place.json('init');
    await place.json('remember', 'k', 'v');
    const file = join(place.dir, 'backup.db');
    await place.json('backup', file);
    const text = join(place.dir, 'text.db');
    writeFileSync(text, 'this is not a database at all, but it is long enough to look at'.repeat(200));
    expect(await place.run(['restore', text])).toMatchObject({ code: 10, out: '' });
    expect(await place.run(['restore', join(place.dir, 'none.db')])).toMatchObject({ code: 2 });
    const foreign = new DatabaseSync(join(place.dir, 'foreign.db'));
    foreign.exec('CREATE TABLE t (x)');
    foreign.close();
    expect((await place.run(['restore', join(place.dir, 'foreign.db')])).err).toContain(
      'not one of Helmdeck',
    );
    const other = { env: { HELMDECK_MEMORY_KEY: 'ab'.repeat(32) } };
    const wrong = await place.run(['restore', file], other);
    expect(wrong).toMatchObject({ code: 10 });
    expect(wrong.err).toContain('does not open this backup');
    expect((await place.run(['get', 'k'])).out).toBe('v\n');
    expect((await place.run(['restore', file, '--force', '--json'], other)).out).toContain(
      '"key_fits":false',
    );
    expect((await place.run(['get', 'k'])).out).toBe('v\n');
  });
});

afterAll(() => place?.remove());
