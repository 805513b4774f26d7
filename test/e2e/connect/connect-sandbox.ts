import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { createInterruption } from '../../../packages/helmdeck/src/server/process/interruption.ts';
import { createDeps } from '../../../packages/helmdeck/src/server/process/main.ts';
import type { Machine } from '../../../packages/helmdeck/src/surfaces/cli/deps.ts';
import { createCli } from '../../../packages/helmdeck/src/surfaces/cli/program.ts';
import type { TestServer } from '../../../packages/helmdeck/src/testing/test-server.ts';

/** An empty home folder, and the commands as its user runs them. */
export interface ConnectSandbox {
  home: string;
  subject: string;
  path(...names: string[]): string;
  read(...names: string[]): string;
  put(text: string, ...names: string[]): void;
  modeOf(...names: string[]): number;
  has(...names: string[]): boolean;
  run(...args: string[]): Promise<{ code: number; out: string; err: string }>;
  /** Runs a command that must succeed, and parses its JSON output. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  remove(): void;
}

export async function createConnectSandbox(
  server: TestServer | undefined,
  options: { subject?: string; env?: Record<string, string>; machine?: Partial<Machine> } = {},
): Promise<ConnectSandbox> {
  const home = mkdtempSync(join(tmpdir(), 'helmdeck-connect-'));
  const state = mkdtempSync(join(tmpdir(), 'helmdeck-connect-state-'));
  const { subject = 'ada' } = options;
  const token = server && (await server.token(subject, { scopes: ['admin'], client: 'cli' }));
  const env = {
    HELMDECK_DB: join(home, 'none', 'helmdeck.db'),
    ...(server ? { HELMDECK_URL: server.url, HELMDECK_TOKEN: token! } : {}),
    ...options.env,
  };
  const machine: Machine = {
    homeDir: home,
    stateDir: state,
    workDir: join(home, 'work', 'orchard'),
    platform: 'linux',
    environment: { PATH: process.env.PATH },
    launch: { command: process.execPath, args: [resolve(import.meta.dirname, 'helmdeck-from-source.js')] },
    ...options.machine,
  };
  const path = (...names: string[]) => join(home, ...names);

  async function run(...args: string[]) {
    const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
    const interruption = createInterruption(terminal);
    try {
      const deps = { ...createDeps(env, terminal, interruption), machine };
      const code = await createCli(deps).run(args);
      return { code, out: String(terminal.out.read() ?? ''), err: String(terminal.err.read() ?? '') };
    } finally {
      interruption.release();
    }
  }

  return {
    home,
    subject,
    path,
    run,
    read: (...names) => readFileSync(path(...names), 'utf8'),
    put(text, ...names) {
      mkdirSync(dirname(path(...names)), { recursive: true });
      writeFileSync(path(...names), text);
      chmodSync(path(...names), 0o644);
    },
    modeOf: (...names) => statSync(path(...names)).mode & 0o777,
    has: (...names) => existsSync(path(...names)),
    async json<T>(...args: string[]) {
      const { code, out, err } = await run(...args, '--json');
      if (code !== 0) throw new Error(`helmdeck ${args.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out) as T;
    },
    remove() {
      for (const folder of [home, state]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
