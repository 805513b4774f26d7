import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';
import { freePort } from './free-port.ts';

/** A private PostgreSQL server in a temporary folder, on a free loopback port. */
export interface PostgresServer {
  port: number;
  /** The address of a database, with the credentials of the superuser. */
  url(database?: string): string;
  user: string;
  password: string;
  /** Stops it without a shutdown, as a crash would, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether to fsync; tests without crashes are faster without it. */
  durable?: boolean;
  settings?: Record<string, string>;
  /** A certificate and its key as PEM; the server then offers TLS. */
  tls?: { cert: string; key: string };
}

const USER = 'helmdeck';
const PASSWORD = 'p@ss:w/rd?#';
const READY = /database system is ready to accept connections/;
const MAX_ATTEMPTS = 5;

/** Starts a server, or returns the reason why it cannot; under `CI=true` that is an error. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | string> {
  const found = findPrograms();
  if (typeof found === 'string') {
    if (process.env.CI === 'true') throw new Error(`PostgreSQL is missing: ${found}`);
    console.warn(`Tests with PostgreSQL are skipped: ${found}`);
    return found;
  }
  const programs = found.folder;
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-postgres-'));
  const account = unprivileged();
  const data = prepareData(programs, folder, account, options);
  let port = 0;
  let child: ChildProcess | undefined;
  for (let attempt = 1; !child; attempt++) {
    port = await freePort();
    child = await run(programs, data, port, account).catch((thrown) => {
      if (attempt === MAX_ATTEMPTS) throw thrown;
      return undefined;
    });
  }
  const address = `127.0.0.1:${port}`;
  return {
    port,
    user: USER,
    password: PASSWORD,
    url: (database = 'postgres') =>
      `postgres://${USER}:${encodeURIComponent(PASSWORD)}@${address}/${database}`,
    async restart() {
      await end(child!);
      child = await run(programs, data, port, account);
    },
    async stop() {
      await end(child!);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function findPrograms(): { folder: string } | string {
  const problem = programFolder() ? undefined : installPackage('postgresql');
  const folder = programFolder();
  return folder ? { folder } : (problem ?? 'the package contains no initdb');
}

function programFolder(): string | undefined {
  const configured = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(configured ? [configured] : []),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('there is no user but root to run PostgreSQL as');
}

function prepareData(
  programs: string,
  folder: string,
  account: { uid: number; gid: number } | undefined,
  options: PostgresOptions,
): string {
  const data = join(folder, 'data');
  const secret = join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  if (account) for (const path of [folder, data, secret]) chownSync(path, account.uid, account.gid);
  const initOptions = [
    '--auth=scram-sha-256',
    `--pwfile=${secret}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', USER, ...initOptions], {
    ...account,
    stdio: 'pipe',
  });
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  };
  if (options.tls) {
    for (const [name, text] of Object.entries({
      'server.crt': options.tls.cert,
      'server.key': options.tls.key,
    })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (account) chownSync(join(data, name), account.uid, account.gid);
    }
    settings.ssl = 'on';
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
  return data;
}

function run(
  programs: string,
  data: string,
  port: number,
  account: { uid: number; gid: number } | undefined,
): Promise<ChildProcess> {
  const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port)], {
    ...account,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killWithParent = () => void child.kill('SIGQUIT');
  process.once('exit', killWithParent);
  child.once('exit', () => process.removeListener('exit', killWithParent));
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr!.on('data', (chunk) => {
      // The end: clients that reconnect during the recovery fill the log.
      output = (output + chunk).slice(-10_000);
      if (READY.test(output)) resolve(child);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PostgreSQL exited: ${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGQUIT');
  await ended;
}
