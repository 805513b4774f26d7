import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from './helmdeck-process.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.remove());

interface Report {
  file: string;
  key_id: string;
  previous_key_ids: string[];
  finished: boolean;
}

const secretsFile = () => join(dirname(sandbox.db), 'secrets.env');
const secrets = () => readFileSync(secretsFile(), 'utf8');
const secret = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(secrets())?.[1];
const refusal = async (...args: string[]) => {
  const before = existsSync(secretsFile()) ? secrets() : undefined;
  const { code, err } = await sandbox.run([...args, '--json']);
  expect(existsSync(secretsFile()) ? secrets() : undefined, 'the secrets file is unchanged').toBe(before);
  return { code, reason: (JSON.parse(err) as { reason: string }).reason };
};
async function doctor(): Promise<{ code: number | null; messages: string[] }> {
  const { code, out } = await sandbox.run(['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: { name: string; status: string; message: string }[] };
  const about = checks.filter(({ name }) => ['Key rotation', 'Server keys', 'Key fits'].includes(name));
  return { code, messages: about.map(({ name, status, message }) => `${status} ${name}: ${message}`) };
}

describe('helmdeck rotate', () => {
  it('replaces the key of a single node in two restarts, refuses to finish early, and loses nothing', async () => {
    const { key_id } = await sandbox.json<{ key_id: string }>('init');
    expect((await sandbox.run(['init'])).out).toContain(`The id of the memory key is ${key_id}.`);
    const oldKey = secret('HELMDECK_MEMORY_KEY')!;
    const token = secret('HELMDECK_JWT_SECRET');
    let server = await sandbox.serve();
    await sandbox.json('remember', 'city', 'Ulm');

    const begun = await sandbox.json<Report>('rotate');
    expect(begun).toEqual({
      file: secretsFile(),
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      previous_key_ids: [key_id],
      finished: false,
    });
    expect(begun.key_id).not.toBe(key_id);
    expect(secret('HELMDECK_MEMORY_KEY')).not.toBe(oldKey);
    expect([secret('HELMDECK_MEMORY_KEY_PREVIOUS'), secret('HELMDECK_JWT_SECRET')]).toEqual([oldKey, token]);
    expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(secretsFile())).filter((name) => name.endsWith('.new'))).toEqual([]);
    expect(await refusal('rotate')).toEqual({ code: 6, reason: 'rotation_under_way' });

    // The server still runs with the old key.
    expect(await refusal('rotate', '--finish')).toEqual({ code: 6, reason: 'rotation_unfinished' });
    expect(await doctor()).toEqual({
      code: 0,
      messages: [
        `warn Server keys: The server runs with the key ${key_id}, and HELMDECK_MEMORY_KEY is ${begun.key_id}.`,
        'ok Key fits: The configured key opens the database.',
        `warn Key rotation: The database is at the key ${key_id}, and HELMDECK_MEMORY_KEY is ${begun.key_id}.`,
      ],
    });
    await server.stop();
    server = await sandbox.serve();
    const finished =
      'warn Key rotation: Finished: nothing in this database depends on HELMDECK_MEMORY_KEY_PREVIOUS any more.';
    await expect.poll(async () => (await doctor()).messages.at(-1)).toBe(finished);
    expect(await sandbox.json<Report>('rotate', '--finish')).toEqual({ ...begun, finished: true });
    expect(secret('HELMDECK_MEMORY_KEY_PREVIOUS')).toBeUndefined();
    expect(await refusal('rotate', '--finish')).toEqual({ code: 6, reason: 'no_rotation' });
    await server.stop();

    await sandbox.serve();
    expect((await sandbox.run(['get', 'city'])).out).toBe('Ulm\n');
    expect(await doctor()).toEqual({
      code: 0,
      messages: ['ok Key fits: The configured key opens the database.'],
    });
  });

  it('refuses without a key, and when the key does not come from the secrets file', async () => {
    expect(await refusal('rotate')).toEqual({ code: 6, reason: 'no_key' });
    sandbox.env.HELMDECK_MEMORY_KEY = 'ab'.repeat(32);
    await sandbox.json('init');
    expect(await refusal('rotate')).toEqual({ code: 6, reason: 'key_elsewhere' });
    sandbox.env.HELMDECK_MEMORY_KEY_PREVIOUS = 'cd'.repeat(32);
    expect(await refusal('rotate', '--finish')).toEqual({ code: 6, reason: 'key_elsewhere' });
  });

  it('refuses when the key does not open the database', async () => {
    await sandbox.json('init');
    await sandbox.json('remember', 'city', 'Ulm');
    writeFileSync(secretsFile(), secrets().replace(/^(HELMDECK_MEMORY_KEY=).*$/m, `$1${'ab'.repeat(32)}`));
    expect(await refusal('rotate')).toEqual({ code: 10, reason: 'wrong_key' });
  });
});

describe('helmdeck doctor on keys', () => {
  const OLD = '11'.repeat(32);
  const NEW = '22'.repeat(32);
  const OTHER = '33'.repeat(32);
  const BOB = { HELMDECK_ADMIN_USERNAME: 'bob' };

  /** Under the old key; doctor asks the server as another caller. */
  async function rememberAsBob(): Promise<void> {
    sandbox.env.HELMDECK_MEMORY_KEY = OLD;
    await sandbox.json('init'); // creates the other secrets
    const { code } = await sandbox.run(['remember', 'city', 'Ulm'], { env: BOB });
    expect(code).toBe(0);
  }

  /** Gives the only caller's namespace in this database the record of the same caller in another one. */
  const replaceRecord = (blob: Uint8Array) => {
    const file = new DatabaseSync(sandbox.db);
    file.prepare('UPDATE namespaces SET blob = ? WHERE ns > zeroblob(16)').run(blob);
    file.close();
  };
  const readRecord = () => {
    const file = new DatabaseSync(sandbox.db);
    const { blob } = file.prepare('SELECT blob FROM namespaces WHERE ns > zeroblob(16)').get() as {
      blob: Uint8Array;
    };
    file.close();
    return blob;
  };

  it('a namespace that no configured key opens is a failure, with a server and without one', async () => {
    await rememberAsBob();
    const record = Buffer.from(readRecord());
    record.fill(0x77, 1, 9); // the id of the key
    replaceRecord(record);
    const failure = 'fail Key rotation: No configured key opens 1 of 1 namespace.';
    expect(await doctor()).toMatchObject({ code: 10, messages: expect.arrayContaining([failure]) });
    await sandbox.serve();
    await expect.poll(doctor).toMatchObject({
      code: 10,
      messages: expect.arrayContaining([
        failure,
        'fail Server keys: The server cannot open 1 namespace with its keys.',
      ]),
    });
  });

  it('an unfinished rotation is a warning with both keys and a failure without the old one, and the server refuses to start', async () => {
    await rememberAsBob();
    const underOldKey = readRecord();
    // A damaged record under the old key: the rotation cannot finish.
    const damaged = Buffer.from(underOldKey);
    damaged[damaged.length - 1]! ^= 1;
    replaceRecord(damaged);
    Object.assign(sandbox.env, { HELMDECK_MEMORY_KEY: NEW, HELMDECK_MEMORY_KEY_PREVIOUS: OLD });
    const server = await sandbox.serve();
    await expect
      .poll(async () => (await doctor()).messages)
      .toContain('warn Key rotation: Not finished: 0 of 1 namespace still under an earlier key.');
    await server.stop();
    replaceRecord(underOldKey);
    expect((await doctor()).messages).toContain(
      'warn Key rotation: Not finished: 1 of 1 namespace still under an earlier key.',
    );
    delete sandbox.env.HELMDECK_MEMORY_KEY_PREVIOUS;
    expect(await doctor()).toMatchObject({
      code: 10,
      messages: [
        'fail Key fits: A key rotation is not finished, and an earlier key that it needs is not set.',
      ],
    });
    expect(await refusal('list')).toEqual({ code: 10, reason: 'rotation_unfinished' });
    sandbox.env.HELMDECK_MEMORY_KEY_PREVIOUS = `${OTHER},${OLD}`;
    await sandbox.serve();
    expect((await sandbox.run(['get', 'city'], { env: BOB })).out).toBe('Ulm\n');
  });

  it('if the old key of an unfinished rotation is lost, the purge deletes only what it wrapped, and memory is on again', async () => {
    await rememberAsBob();
    const damaged = Buffer.from(readRecord());
    damaged[damaged.length - 1]! ^= 1;
    replaceRecord(damaged);
    Object.assign(sandbox.env, { HELMDECK_MEMORY_KEY: NEW, HELMDECK_MEMORY_KEY_PREVIOUS: OLD });
    const server = await sandbox.serve();
    await expect
      .poll(async () => (await doctor()).messages)
      .toContain('fail Server keys: The server cannot open 1 namespace with its keys.');
    await server.stop();
    delete sandbox.env.HELMDECK_MEMORY_KEY_PREVIOUS;
    const { out } = await sandbox.run(['doctor', '--purge-unreadable', '--yes', '--json']);
    expect(JSON.parse(out)).toMatchObject({ ok: true, removed: { everything: false, namespaces: 1 } });
    expect(await sandbox.run(['remember', 'city', 'Bonn'], { env: BOB })).toMatchObject({ code: 0 });
  });
});
