import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { createDeps } from '../../packages/helmdeck/src/server/process/main.ts';
import { createCli } from '../../packages/helmdeck/src/surfaces/cli/program.ts';

/** The built program. */
export const BIN = resolve(import.meta.dirname, '../../packages/helmdeck/bin/helmdeck.js');

export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

interface RunOptions {
  /** In addition to that of the sandbox; an undefined one is not set. */
  env?: Record<string, string | undefined>;
  input?: string;
  /** Default: the folder of the sandbox. */
  cwd?: string;
}

/** A folder with its own Helmdeck: nothing of the machine's own settings reaches it. */
export interface Sandbox {
  dir: string;
  db: string;
  env: Record<string, string>;
  run(args: string[], options?: RunOptions): Promise<Finished>;
  /** Runs a command that must succeed, and reads its JSON. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  serve(...args: string[]): Promise<Running>;
  remove(): Promise<void>;
}

export interface Running {
  url: string;
  child: ChildProcess;
  out(): string;
  err(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function createSandbox(): Sandbox {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-cli-'));
  const db = join(dir, 'data', 'helmdeck.db');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    HELMDECK_DB: db,
    HELMDECK_ADDR: '127.0.0.1:0',
    HELMDECK_LOG_LEVEL: 'warn',
  };
  const servers = new Set<Running>();

  const start = (args: string[], { env: more, cwd = dir }: RunOptions = {}) =>
    spawn(process.execPath, [BIN, ...args], { cwd, env: { ...env, ...more }, stdio: 'pipe' });

  async function run(args: string[], options: RunOptions = {}) {
    const child = start(args, options);
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    child.stdin.end(options.input ?? '');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out: out(), err: err() };
  }

  return {
    dir,
    db,
    env,
    run,
    json: async <T>(...args: string[]) => parsed<T>(args, await run([...args, '--json'])),
    async serve(...args) {
      const child = start(['serve', ...args]);
      const out = collect(child.stdout);
      const err = collect(child.stderr);
      const url = await listening(child, out, err);
      const running: Running = {
        url,
        child,
        out,
        err,
        async stop(signal = 'SIGTERM') {
          servers.delete(running);
          if (child.exitCode !== null) return child.exitCode;
          child.kill(signal);
          const [code] = (await once(child, 'exit')) as [number | null];
          return code;
        },
      };
      servers.add(running);
      return running;
    },
    async remove() {
      for (const server of servers) await server.stop('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * The commands of a sandbox without a process for each, which takes most of the time of a command. For tests in which
 * the process is not the point; the current directory is that of the tests.
 */
export function inThisProcess(sandbox: Sandbox): Pick<Sandbox, 'run' | 'json'> {
  async function run(args: string[], { env: more, input = '' }: Omit<RunOptions, 'cwd'> = {}) {
    const env = { ...sandbox.env, HELMDECK_DATA_DIR: join(sandbox.dir, 'data'), ...more };
    const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
    terminal.in.end(input);
    const [out, err] = [collect(terminal.out), collect(terminal.err)];
    const deps = createDeps(env, terminal, { onInterrupt: () => () => {}, release() {} });
    const code = await createCli(deps).run(args);
    return { code, out: out(), err: err() };
  }
  return {
    run,
    json: async <T>(...args: string[]) => parsed<T>(args, await run([...args, '--json'])),
  };
}

function parsed<T>(args: string[], { code, out, err }: Finished): T {
  if (code !== 0) throw new Error(`helmdeck ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}

function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

async function listening(child: ChildProcess, out: () => string, err: () => string): Promise<string> {
  for (;;) {
    const url = /listening on (http:\S+)/.exec(out())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${err()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
