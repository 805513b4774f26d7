import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';
import { freePort } from './free-port.ts';

/** A private Redis server in a temporary folder, on a free loopback port. */
export interface RedisServer {
  port: number;
  /** Its data folder. */
  folder: string;
  /** Its address, with parameters such as `prefix=a`. */
  url(parameters?: string): string;
  /** Kills it as a crash would, and starts it again on the same data. */
  restart(): Promise<void>;
  /** Kills it as a crash would; `restart` starts it again. */
  kill(): Promise<void>;
  /** Makes it hang, as a broken network would; `resume` ends that. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** What Helmdeck recommends. With `everysec` writes wait in the process while the disk is slow, and a kill loses them. */
const DURABLE_SETTINGS = { appendonly: 'yes', appendfsync: 'always', save: '' };
const MAX_ATTEMPTS = 5;

/** Starts a server, or returns the reason why it cannot; under `CI=true` that is an error. */
export async function startRedis(settings: Record<string, string> = {}): Promise<RedisServer | string> {
  const program = findProgram();
  if ('missing' in program) {
    if (process.env.CI === 'true') throw new Error(`Redis is missing: ${program.missing}`);
    console.warn(`Tests with Redis are skipped: ${program.missing}`);
    return program.missing;
  }
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-redis-'));
  let port = 0;
  let child: ChildProcess | undefined;
  for (let attempt = 1; !child; attempt++) {
    port = await freePort();
    child = await run(program.name, folder, port, settings).catch((thrown) => {
      if (attempt === MAX_ATTEMPTS) throw thrown;
      return undefined;
    });
  }
  return {
    port,
    folder,
    url: (parameters) => `redis://127.0.0.1:${port}${parameters ? `?${parameters}` : ''}`,
    async restart() {
      await end(child!);
      child = await run(program.name, folder, port, settings);
    },
    kill: () => end(child!),
    pause: () => void child!.kill('SIGSTOP'),
    resume: () => void child!.kill('SIGCONT'),
    async stop() {
      await end(child!);
      // A child process that rewrites the append-only file outlives the server for a moment, and still writes.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function findProgram(): { name: string } | { missing: string } {
  const find = () =>
    ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
  const problem = find() ? undefined : installPackage('redis-server');
  const name = find();
  return name ? { name } : { missing: problem ?? 'the package contains no redis-server' };
}

function run(
  program: string,
  folder: string,
  port: number,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    daemonize: 'no',
    ...DURABLE_SETTINGS,
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const killWithParent = () => void child.kill('SIGKILL');
  process.once('exit', killWithParent);
  child.once('exit', () => process.removeListener('exit', killWithParent));
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout!.on('data', (chunk) => {
      output = (output + chunk).slice(-10_000);
      if (/Ready to accept connections/i.test(output)) resolve(child);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`Redis exited: ${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
