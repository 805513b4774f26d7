import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createAuth } from '../../packages/helmdeck/src/surfaces/http/auth.ts';

const SECRET = 'fault-test-secret-fault-test-secret-32';
const SCRIPT = fileURLToPath(new URL('./server-process.js', import.meta.url));

export interface ChildServer {
  child: ChildProcess;
  url: string;
  /** Rejects if the server process is dead. */
  call(
    subject: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; json: Answer }>;
  /** The Authorization header of a subject. */
  authorization(subject: string): Promise<string>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export type Answer = Record<string, unknown> & {
  error?: string;
  reason?: string;
  value?: string;
  version?: number;
};

/** Starts the built server in a child process; `wrap` is a command line to run it under. */
export async function startChild(env: Record<string, string>, wrap: string[] = []): Promise<ChildServer> {
  const argv = [...wrap, process.execPath, SCRIPT];
  const child = spawn(argv[0]!, argv.slice(1), {
    env: {
      PATH: process.env.PATH,
      HELMDECK_ADDR: '127.0.0.1:0',
      HELMDECK_JWT_SECRET: SECRET,
      HELMDECK_MEMORY_KEY: 'cd'.repeat(32),
      HELMDECK_RATE_LIMIT: 'off',
      ...env,
    },
    // Nothing inherited: a server that outlives its test would hold the output of the run open.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr!.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2_000);
  });
  const exited = once(child, 'exit');
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then(([code]) =>
      Promise.reject(new Error(`the server exited with ${code} before it listened: ${errors}`)),
    ),
  ])) as [{ url: string }];
  const auth = createAuth({ hs256Secret: SECRET, now: Date.now, isRevoked: () => false });
  const tokens = new Map<string, string>();
  async function tokenOf(subject: string): Promise<string> {
    const known = tokens.get(subject);
    if (known) return known;
    const { token } = await auth.mint({
      caller: { subject },
      scopes: ['memory:read', 'memory:write', 'memory:review', 'packs:run', 'pipelines:run'],
      ttlSeconds: 3600,
    });
    tokens.set(subject, token);
    return token;
  }
  return {
    child,
    url: message.url,
    async call(subject, method, path, body, headers = {}) {
      const response = await fetch(message.url + path, {
        method,
        headers: {
          authorization: `Bearer ${await tokenOf(subject)}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, json: (await response.json()) as Answer };
    },
    authorization: async (subject) => `Bearer ${await tokenOf(subject)}`,
    async kill() {
      child.kill('SIGKILL'); // has no effect on a dead process
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
