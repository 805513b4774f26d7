import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathWithNode } from './installed-client.ts';

export interface Finished {
  code: number | null;
  out: string;
  /** Both streams: some clients say it on one, some on the other. */
  all: string;
}

/** A person's machine on its first day: an empty home, and nothing of this one's settings. */
export interface FreshHome {
  dir: string;
  /** The folder a person works in, below it. */
  project: string;
  write(path: string, content: string): void;
  /** A program of Node's, or a shell script; `more` variables count for this run only. */
  run(program: string, args: readonly string[], more?: Record<string, string>): Promise<Finished>;
  /** Starts something that stays; it and what it started end with the home. */
  start(program: string, args: readonly string[]): { child: ChildProcess; said(): string };
  remove(): Promise<void>;
}

const RUN_TIMEOUT_MS = 180_000;
// Whatever a client would fetch from elsewhere goes to a port where nobody listens.
const NOWHERE = 'http://127.0.0.1:9';

export function createFreshHome(more: Record<string, string> = {}): FreshHome {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-client-'));
  const project = join(dir, 'project');
  mkdirSync(project);
  const env = {
    PATH: pathWithNode(),
    HOME: dir,
    NO_COLOR: '1',
    HTTPS_PROXY: NOWHERE,
    HTTP_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1,localhost',
    npm_config_offline: 'true',
    ...more,
  };
  const running = new Set<ChildProcess>();
  // Groups of their own do not hear Ctrl-C.
  const endAll = () => {
    for (const child of running) signalGroup(child, 'SIGKILL');
  };
  process.once('exit', endAll);

  function start(program: string, args: readonly string[], forThisRun: Record<string, string> = {}) {
    // A group of its own, so that nothing it starts is left behind.
    const [command, ...first] = program.endsWith('.sh') ? [program] : [process.execPath, program];
    const child = spawn(command!, [...first, ...args], {
      cwd: project,
      env: { ...env, ...forThisRun },
      stdio: 'pipe',
      detached: true,
    });
    running.add(child);
    let said = '';
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      said += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.stdin.end();
    return { child, said: () => said, out: () => out };
  }

  async function end(child: ChildProcess) {
    running.delete(child);
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 5_000);
    await gone;
    clearTimeout(timer);
    signalGroup(child, 'SIGKILL');
  }

  return {
    dir,
    project,
    write(path, content) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    async run(program, args, forThisRun) {
      const { child, said, out } = start(program, args, forThisRun);
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), RUN_TIMEOUT_MS);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      await end(child);
      return { code, out: out(), all: said() };
    },
    start: (program, args) => start(program, args),
    async remove() {
      for (const child of running) await end(child);
      process.off('exit', endAll);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // nobody is left
  }
}
