import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathWithNode } from './installed-client.ts';

export interface RunResult {
  code: number | null;
  out: string;
  /** Standard output and error: clients differ in which one they use. */
  all: string;
}

/** An empty home folder in which a client runs, without the settings of this machine. */
export interface ClientHome {
  dir: string;
  /** The working folder below the home. */
  project: string;
  write(path: string, content: string): void;
  /** Runs a Node program or a shell script; `more` variables apply to this run only. */
  run(program: string, args: readonly string[], more?: Record<string, string>): Promise<RunResult>;
  /** Starts a background process; `remove` ends it and its children. */
  start(program: string, args: readonly string[]): { child: ChildProcess; output(): string };
  /** Like `start`, in a terminal, which some clients insist on before they ask a person for anything. */
  startInTerminal: ClientHome['start'];
  remove(): Promise<void>;
}

/** Of util-linux: runs a command in a pseudo-terminal. */
const SCRIPT = '/usr/bin/script';
const RUN_TIMEOUT_MS = 180_000;
// Requests of a client to other hosts go to a closed port.
const CLOSED_PORT = 'http://127.0.0.1:9';

export function createClientHome(more: Record<string, string> = {}): ClientHome {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-client-'));
  const project = join(dir, 'project');
  mkdirSync(project);
  const env = {
    PATH: pathWithNode(),
    HOME: dir,
    NO_COLOR: '1',
    HTTPS_PROXY: CLOSED_PORT,
    HTTP_PROXY: CLOSED_PORT,
    NO_PROXY: '127.0.0.1,localhost',
    npm_config_offline: 'true',
    ...more,
  };
  const running = new Set<ChildProcess>();
  // Separate process groups do not get Ctrl-C.
  const endAll = () => {
    for (const child of running) signalGroup(child, 'SIGKILL');
  };
  process.once('exit', endAll);

  function start(
    program: string,
    args: readonly string[],
    forThisRun: Record<string, string> = {},
    keepsInput = false,
  ) {
    // A process group of its own, so that its children can be ended too.
    const [command, ...first] = isExecutable(program) ? [program] : [process.execPath, program];
    const child = spawn(command!, [...first, ...args], {
      cwd: project,
      env: { ...env, ...forThisRun },
      stdio: 'pipe',
      detached: true,
    });
    running.add(child);
    let output = '';
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    if (!keepsInput) child.stdin.end();
    return { child, output: () => output, out: () => out };
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
      const { child, output, out } = start(program, args, forThisRun);
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), RUN_TIMEOUT_MS);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      await end(child);
      return { code, out: out(), all: output() };
    },
    start: (program, args) => start(program, args),
    startInTerminal(program, args) {
      const command = [process.execPath, program, ...args].map((each) => `'${each}'`).join(' ');
      // Wide, so that no address is wrapped.
      const wide = `stty cols 4000; exec ${command}`;
      return start(SCRIPT, ['--quiet', '--return', '--command', wide, '/dev/null'], { TERM: 'xterm' }, true);
    },
    async remove() {
      for (const child of running) await end(child);
      process.off('exit', endAll);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** A shell script or a binary; everything else is a program for Node. */
function isExecutable(program: string): boolean {
  return program.endsWith('.sh') || readFileSync(program).subarray(1, 4).toString('latin1') === 'ELF';
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // the group is gone
  }
}
