import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../../packages/helmdeck/src/errors.ts';
import { examine } from '../../packages/helmdeck/src/server/doctor/doctor.ts';
import { openStore } from '../../packages/helmdeck/src/stores/open.ts';
import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { startPostgres } from '../support/services/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-tls-'));
const tls = makeCertificate();
const server = await startPostgres({ tls, durable: true });
const now = Date.now;

/** Opens a store, which must fail; returns the error, which must contain nothing of the address. */
async function openError(address: string): Promise<AppError> {
  const thrown = await openStore(address, { now }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AppError);
  const error = thrown as AppError;
  expect(error.code).toBe('memory_unavailable');
  for (const secret of ['topsecret', encodeURIComponent('p@ss:w/rd?#'), 'p@ss:w/rd?#'])
    expect(`${error.message} ${error.hint} ${error.stack}`).not.toContain(secret);
  return error;
}

describe('an invalid PostgreSQL address', () => {
  it.each([
    ['postgres://', 'names no user'],
    ['postgres://me:topsecret@db/x?sslmode=often', 'sslmode'],
    ['postgres://me:topsecret@db/x?pool=0', 'pool'],
    ['postgres://me:topsecret@db/x?schema=a;b', 'schema'],
    ['postgres://me:topsecret%@db/x', '%25'],
    ['postgres://me:topsecret@db/x?turbo=on', 'unknown parameter'],
    ['postgres://me:topsecret@db/x?sslrootcert=/nowhere', 'sslrootcert'],
  ])(
    'an invalid PostgreSQL address is rejected with the reason and without the password: %s',
    async (address, problem) => {
      const error = await openError(address);
      expect(error).toMatchObject({ reason: 'bad_address' });
      expect(error.message).toContain(problem);
    },
  );

  it('a PostgreSQL address is reported as unreachable if no server listens there or the host does not exist', async () => {
    const closedPort = 'postgres://me:topsecret@127.0.0.1:1/x';
    expect(await openError(closedPort)).toMatchObject({ reason: 'unreachable' });
    const unknownHost = 'postgres://me:topsecret@helmdeck.invalid/x';
    expect(await openError(unknownHost)).toMatchObject({ reason: 'unreachable' });
  });

  it('an address with an unsupported scheme is reported as an unknown back-end', async () => {
    expect(await openError('mysql://me:topsecret@db/x')).toMatchObject({ reason: 'unknown_backend' });
  });
});

if (typeof server === 'string') it.skip(`PostgreSQL failures: ${server}`);
else {
  const url = new URL(server.url());
  const direct = postgres(server.url(), { max: 2, onnotice: () => {} });
  const changedUrl = (change: (copy: URL) => void): string => {
    const copy = new URL(url);
    change(copy);
    return copy.href;
  };

  describe('a PostgreSQL server that rejects Helmdeck', () => {
    it('a wrong password or an unknown user is reported as wrong_password', async () => {
      const wrong = changedUrl((copy) => {
        copy.password = 'topsecret';
      });
      expect(await openError(wrong)).toMatchObject({ reason: 'wrong_password' });
      const unknown = changedUrl((copy) => {
        copy.username = 'unknown';
      });
      expect(await openError(unknown)).toMatchObject({ reason: 'wrong_password' });
    });

    it('a missing database is reported as no_database', async () => {
      expect(await openError(server.url('missing'))).toMatchObject({ reason: 'no_database' });
    });

    it('a server without writes, such as a replica, is reported as read_only', async () => {
      await direct.unsafe('CREATE DATABASE frozen');
      await direct.unsafe('ALTER DATABASE frozen SET default_transaction_read_only = on');
      expect(await openError(server.url('frozen'))).toMatchObject({ reason: 'read_only' });
    });

    it('a user without the permission to create the schema is reported as forbidden', async () => {
      await direct.unsafe(`CREATE ROLE guest LOGIN PASSWORD 'guest'`);
      const guest = changedUrl((copy) => {
        copy.username = 'guest';
        copy.password = 'guest';
        copy.searchParams.set('schema', 'closed');
      });
      expect(await openError(guest)).toMatchObject({ reason: 'forbidden' });
    });

    it('a database of a newer Helmdeck is reported as later_schema', async () => {
      const later = changedUrl((copy) => copy.searchParams.set('schema', 'later'));
      await (await openStore(later, { now })).close();
      await direct.unsafe('UPDATE later.version SET version = 999');
      expect(await openError(later)).toMatchObject({ reason: 'later_schema' });
    });
  });

  describe('the PostgreSQL schema', () => {
    it('the PostgreSQL schema is created once when several nodes start together, and all of them can use it', async () => {
      const newSchema = changedUrl((copy) => {
        copy.searchParams.set('schema', 'user');
        copy.searchParams.set('pool', '2');
      });
      const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(newSchema, { now })));
      const blob = new Uint8Array(16);
      const made = await Promise.all(stores.map((store) => store.createNamespace(new Uint8Array(16), blob)));
      expect(new Set(made.map(({ generation }) => generation)).size).toBe(1);
      expect(await direct.unsafe('SELECT version FROM "user".version')).toHaveLength(1);
      for (const store of stores) await store.close();
    });

    it('the PostgreSQL schema can be used without the permission to change it while it is up to date', async () => {
      const ready = changedUrl((copy) => copy.searchParams.set('schema', 'ready'));
      await (await openStore(ready, { now })).close();
      await direct.unsafe(`CREATE ROLE worker LOGIN PASSWORD 'worker'`);
      await direct.unsafe('GRANT USAGE ON SCHEMA ready TO worker');
      await direct.unsafe('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ready TO worker');
      const worker = new URL(ready);
      worker.username = 'worker';
      worker.password = 'worker';
      const store = await openStore(worker.href, { now });
      const ref = await store.createNamespace(new Uint8Array(16), new Uint8Array(4));
      const row = {
        id: new Uint8Array(16),
        kind: 'fact',
        group: null,
        body: new Uint8Array(3),
        rev: 1,
      } as const;
      const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
      expect(await store.apply(ref, [{ type: 'put', row: { ...row, ...times } }])).toEqual({
        seq: 1,
        deleted: 0,
      });
      await store.close();
    });
  });

  describe('a PostgreSQL server that restarts', () => {
    it('calls fail as unavailable during the restart and succeed afterwards without a restart of the node', async () => {
      const store = await openStore(server.url(), { now });
      const ns = new Uint8Array(16).fill(7);
      await store.createNamespace(ns, new Uint8Array(4));
      const received: unknown[] = [];
      store.sharing!.watch((notice) => received.push(notice));
      await server.restart();
      for (;;) {
        const outcome = await store.position(ns).catch((thrown: unknown) => thrown);
        if (!(outcome instanceof Error)) break;
        expect(outcome).toMatchObject({ code: 'memory_unavailable', reason: 'unreachable' });
      }
      expect(await store.getNamespace(ns)).toBeDefined();
      // Listeners learn that they may have missed notices.
      await expect.poll(() => received).toContain(undefined);
      await store.close();
    });
  });

  describe('helmdeck doctor on PostgreSQL', () => {
    const examined = async (env: Record<string, string>) =>
      (await examine({ HELMDECK_DATA_DIR: folder, HELMDECK_MEMORY_KEY: 'ab'.repeat(32), ...env })).filter(
        ({ name }) => name === 'Database' || name === 'Key fits',
      );

    it('doctor reports the PostgreSQL server and whether the key fits, and creates nothing in the database', async () => {
      const before = await examined({ HELMDECK_DB: server.url('template1') });
      expect(before).toMatchObject([
        { status: 'ok', message: expect.stringMatching(/^PostgreSQL \d+\.\d+: 0 rows in 0 namespaces\.$/) },
        { status: 'ok', message: 'Nothing is stored yet.' },
      ]);
      const there = await postgres(server.url('template1'), { max: 1 });
      expect(await there.unsafe(`SELECT 1 FROM pg_namespace WHERE nspname = 'helmdeck'`)).toEqual([]);
      await there.end();
      expect(await examined({ HELMDECK_DB: server.url('missing') })).toMatchObject([{ status: 'fail' }]);
    });

    it('doctor counts the nodes that use the database, and warns if their pools need more connections than the server allows', async () => {
      await direct.unsafe('CREATE DATABASE nodes');
      const address = `${server.url('nodes')}?pool=120`;
      const env = { HELMDECK_DB: address, HELMDECK_MEMORY_KEY: 'ab'.repeat(32) };
      const first = await testServer({ env });
      expect(await examined({ HELMDECK_DB: address })).toMatchObject([
        { status: 'ok', message: expect.stringContaining('used by 1 running node.') },
        { status: 'ok' },
      ]);
      const second = await testServer({ env });
      expect(await examined({ HELMDECK_DB: address })).toMatchObject([
        { status: 'ok', message: expect.stringContaining('used by 2 running nodes.') },
        { status: 'warn', message: expect.stringContaining('may open 242 connections') },
        { status: 'ok' },
      ]);
      await first.close();
      await second.close();
    });

    it('doctor warns about PostgreSQL settings that can lose acknowledged writes', async () => {
      await direct.unsafe('CREATE DATABASE hasty');
      await direct.unsafe('ALTER DATABASE hasty SET synchronous_commit = off');
      const found = await examined({ HELMDECK_DB: server.url('hasty') });
      expect(found[1]).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('synchronous_commit'),
      });
    });
  });

  describe.skipIf(!tls)('a PostgreSQL connection with TLS', () => {
    const withTls = (mode: string, host = 'localhost') =>
      changedUrl((copy) => {
        copy.hostname = host;
        copy.searchParams.set('sslmode', mode);
        if (mode.startsWith('verify')) copy.searchParams.set('sslrootcert', join(folder, 'cert.pem'));
      });
    const isEncrypted = async (address: string) => {
      const name = `tls ${new URL(address).searchParams.get('sslmode')}`;
      const named = new URL(address);
      named.searchParams.set('application_name', name);
      const store = await openStore(named.href, { now });
      await store.probe();
      const rows = await direct.unsafe(
        'SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1',
        [name],
      );
      await store.close();
      return rows[0]!.ssl as boolean;
    };

    it.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
      'a PostgreSQL connection is encrypted with sslmode=%s',
      async (mode) => {
        expect(await isEncrypted(withTls(mode))).toBe(true);
      },
    );

    it('a PostgreSQL connection is not encrypted with sslmode=disable', async () => {
      expect(await isEncrypted(withTls('disable'))).toBe(false);
    });

    it('a PostgreSQL connection with verify-full fails if the certificate names another host or its authority is unknown', async () => {
      expect(await openError(withTls('verify-full', '127.0.0.1'))).toMatchObject({ reason: 'tls' });
      const unknown = new URL(withTls('verify-full'));
      unknown.searchParams.delete('sslrootcert');
      expect(await openError(unknown.href)).toMatchObject({ reason: 'tls' });
    });
  });

  afterAll(async () => {
    await direct.end();
    await server.stop();
    rmSync(folder, { recursive: true });
  });
}

/** A self-signed certificate for `localhost`; `undefined` without openssl. */
function makeCertificate(): { cert: string; key: string } | undefined {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(key, '');
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ]);
  if (made.status === 0) return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  if (process.env.CI === 'true') throw new Error('openssl is missing');
  console.warn('Tests with TLS are skipped: there is no openssl to create a certificate');
  return undefined;
}
