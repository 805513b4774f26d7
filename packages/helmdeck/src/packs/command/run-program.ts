import { spawn } from 'node:child_process';
import { dirname, isAbsolute, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';
import { endWithServer, prepareReaper } from './program-reaper.ts';

export interface ProgramCall {
  /** The pack, for messages. */
  name: string;
  command: readonly string[];
  folder: string;
  input: unknown;
  signal: AbortSignal;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_CHARS = 4_096;
const MAX_SAID_CHARS = 200;
/** The server's own environment holds its keys: a program gets a path and a language, and nothing else. */
const ENVIRONMENT = {
  PATH: `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`,
  LANG: 'C.UTF-8',
};

/** Runs a program to its end or to the end of the run; it and what it started are gone afterwards. */
export function runProgram({ name, command, folder, input, signal }: ProgramCall): Promise<unknown> {
  const [program = '', ...args] = command;
  const path = program.includes('/') && !isAbsolute(program) ? resolve(folder, program) : program;
  return new Promise((resolveOutput, reject) => {
    prepareReaper();
    // A group of its own, so that children of the program end with it.
    const child = spawn(path, args, { cwd: folder, env: ENVIRONMENT, stdio: 'pipe', detached: true });
    const over = child.pid === undefined ? () => {} : endWithServer(child.pid);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    const fail = (error: AppError) => {
      killGroup(child.pid);
      reject(error);
    };
    const onAbort = () => fail(new AppError('timeout', `The program of ${name} was stopped.`));
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', (thrown) =>
      fail(
        new AppError('handler_failed', `The program of ${name} cannot be started.`, {
          reason: 'program_missing',
          hint: 'Check command in the pack file, and that the program may be executed.',
          cause: thrown,
        }),
      ),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) fail(tooMuch(name));
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS);
    });
    child.stdin.on('error', () => {}); // a program need not read its input
    child.stdin.end(JSON.stringify(input));
    // What it left behind may hold its output open: that would keep the answer waiting.
    child.on('exit', () => {
      killGroup(child.pid);
      over();
    });
    child.on('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      if (code !== 0) return reject(failed(name, code, stderr));
      try {
        resolveOutput(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      } catch {
        reject(new AppError('invalid_output', `The program of ${name} printed something that is not JSON.`));
      }
    });
  });
}

/** The last line a program said is for its caller, unless it holds a credential. */
function failed(name: string, code: number | null, stderr: string): AppError {
  const said = stderr.trim().split('\n').at(-1)?.slice(0, MAX_SAID_CHARS) ?? '';
  const quote = said === '' || detectCredential(stderr) ? '' : `: ${said}`;
  return new AppError('handler_failed', `The program of ${name} ended with code ${code ?? 'none'}${quote}.`, {
    reason: 'program_failed',
  });
}

const tooMuch = (name: string) =>
  new AppError('invalid_output', `The program of ${name} printed more than 16 MiB.`, { reason: 'too_large' });

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
