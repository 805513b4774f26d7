import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from './helmdeck-process.ts';

// `helmdeck doctor` of the built program, on files that are damaged, missing or under another key.

let sandbox: Sandbox;
afterEach(() => sandbox?.remove());

const damageRow = (db: string) => {
  const file = new DatabaseSync(db);
  file.exec(
    "UPDATE rows SET body = zeroblob(length(body)) WHERE seq = (SELECT max(seq) FROM rows WHERE kind = 'fact')",
  );
  file.close();
};

describe('helmdeck doctor', () => {
  const check = async (name: string) => {
    const { out } = await sandbox.run(['doctor', '--json']);
    return (JSON.parse(out) as { checks: { name: string; status: string; message: string }[] }).checks.find(
      (each) => each.name === name,
    );
  };

  it('doctor finds a damaged row and purges only that one', async () => {
    sandbox = createSandbox();
    await sandbox.json('init');
    await sandbox.json('remember', 'good', 'stays');
    await sandbox.json('remember', 'bad', 'goes');
    damageRow(sandbox.db);
    const sick = await sandbox.run(['doctor']);
    expect(sick.code).toBe(10);
    expect(sick.out).toMatch(/FAIL +Rows +1 of \d+ rows/);
    expect(await sandbox.run(['doctor', '--purge-unreadable'])).toMatchObject({ code: 2, out: '' });
    const purged = await sandbox.json('doctor', '--purge-unreadable', '--yes');
    expect(purged).toMatchObject({ ok: true, removed: { everything: false, rows: 1, namespaces: 0 } });
    expect((await sandbox.run(['get', 'good'])).out).toBe('stays\n');
    expect((await sandbox.run(['get', 'bad'])).code).toBe(5);
  });

  it('doctor reports a wrong key without changing anything, and purges after a lost key', async () => {
    sandbox = createSandbox();
    await sandbox.json('init');
    await sandbox.json('remember', 'k', 'v');
    const secrets = join(sandbox.dir, 'data/secrets.env');
    const kept = readFileSync(secrets);
    rmSync(secrets);
    expect(await sandbox.run(['init'])).toMatchObject({ code: 10 });
    expect(await sandbox.run(['doctor', '--purge-unreadable', '--yes'])).toMatchObject({ code: 10 });
    await sandbox.json('init', '--force');
    expect(await check('Key fits')).toMatchObject({ status: 'fail' });
    expect(await sandbox.run(['get', 'k'])).toMatchObject({ code: 10, out: '' });
    const fresh = readFileSync(secrets);
    writeFileSync(secrets, kept);
    expect((await sandbox.run(['get', 'k'])).out).toBe('v\n');

    writeFileSync(secrets, fresh);
    const purged = await sandbox.json<{ removed: { rows: number } }>('doctor', '--purge-unreadable', '--yes');
    expect(purged).toMatchObject({ ok: true, removed: { everything: true, namespaces: 2 } });
    expect(purged.removed.rows).toBeGreaterThan(1);
    expect((await sandbox.run(['get', 'k'])).code).toBe(5);
    expect(await sandbox.json('remember', 'k', 'again')).toMatchObject({ created: true });
  });

  it('doctor reports loose permissions, a running server and unreadable settings', async () => {
    sandbox = createSandbox();
    await sandbox.json('init');
    chmodSync(join(sandbox.dir, 'data/secrets.env'), 0o644);
    expect(await check('Secrets file')).toMatchObject({ status: 'fail' });
    chmodSync(join(sandbox.dir, 'data/secrets.env'), 0o600);
    await sandbox.serve();
    expect(await check('Server')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('Running at'),
    });
    expect(await sandbox.run(['doctor', '--purge-unreadable', '--yes'])).toMatchObject({ code: 10 });
    const broken = await sandbox.run(['doctor'], { env: { HELMDECK_LOG_LEVEL: 'loud' } });
    expect(broken).toMatchObject({ code: 10 });
    expect(broken.out).toContain('HELMDECK_LOG_LEVEL must be one of');
  });
});

describe('helmdeck doctor without the database file', () => {
  const problems = async () => {
    const { out } = await sandbox.run(['doctor', '--json']);
    const { checks } = JSON.parse(out) as { checks: { name: string; status: string; message: string }[] };
    expect(checks.filter(({ message }) => message.includes('does not exist yet'))).toEqual([]);
    return checks.filter(({ status }) => status !== 'ok').map(({ name, message }) => [name, message]);
  };

  it('doctor tells of a deleted database once: by the running server, by its log, and by the mark beside it', async () => {
    sandbox = createSandbox();
    await sandbox.json('init');
    const server = await sandbox.serve();
    await sandbox.json('remember', 'k', 'v');
    rmSync(sandbox.db);
    const gone = expect.stringContaining('moved, replaced or deleted');
    expect(await problems()).toEqual([['Memory', gone]]);
    await server.stop('SIGKILL');
    const log = expect.stringContaining('its log is still there');
    expect(await problems()).toEqual([['Database', log]]);
    for (const end of ['-wal', '-shm']) rmSync(sandbox.db + end);
    const earlier = expect.stringContaining('an earlier one was used here');
    expect(await problems()).toEqual([['Database', earlier]]);
  });
});
