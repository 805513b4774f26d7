import { PassThrough } from 'node:stream';
import type { CliDeps } from '../surfaces/cli/deps.ts';
import { createCli } from '../surfaces/cli/program.ts';
import type { TestServer } from './test-server.ts';

interface CliRun {
  /** The caller whose memory the command works on. */
  subject: string;
  /** Those of the token. */
  scopes?: string[];
  /** What the command reads from standard input. */
  input?: string;
  deps?: Partial<CliDeps>;
}

/** Runs a command of the CLI against a test server; returns its exit code and what it printed. */
export async function runCli(
  server: TestServer,
  argv: string[],
  { subject, scopes = ['admin'], input = '', deps = {} }: CliRun,
): Promise<{ code: number; out: string; err: string }> {
  const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
  terminal.in.end(input);
  const token = await server.token(subject, { scopes, client: 'cli' });
  const all: Partial<CliDeps> = {
    terminal,
    version: '1.2.3',
    now: Date.now,
    scopes: [],
    defaultScopes: [],
    onInterrupt: () => () => {},
    variables: () => [],
    connect: async () => ({
      fetch: async (path, init = {}) => {
        const headers = new Headers(init.headers);
        headers.set('authorization', `Bearer ${token}`);
        return server.app.fetch(new Request(server.url + path, { ...init, headers }));
      },
      close: async () => {},
    }),
    ...deps,
  };
  const code = await createCli(all as CliDeps).run(argv);
  return { code, out: String(terminal.out.read() ?? ''), err: String(terminal.err.read() ?? '') };
}
