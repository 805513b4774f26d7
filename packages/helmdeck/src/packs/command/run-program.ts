import { spawn } from 'node:child_process';
import { dirname, isAbsolute, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';
import { killWithServer, prepareReaper } from './program-reaper.ts';

export interface ProgramCall {
  /** Of the pack, for error messages. */
  name: string;
  command: readonly string[];
  folder: string;
  input: unknown;
  signal: AbortSignal;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_CHARS = 4_096;
const MAX_QUOTED_CHARS = 200;
/** Not the server's environment, which contains its keys. */
const ENVIRONMENT = {
  PATH: `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`,
  LANG: 'C.UTF-8',
};

/** Runs a program until it exits or the run is aborted; its process group is killed afterwards. */
export function runProgram({ name, command, folder, input, signal }: ProgramCall): Promise<unknown> {
  const [program = '', ...args] = command;
  const path = program.includes('/') && !isAbsolute(program) ? resolve(folder, program) : program;
  return new Promise((resolveOutput, reject) => {
    prepareReaper();
    // Detached into its own process group, so that its children can be killed with it.
    const child = spawn(path, args, { cwd: folder, env: ENVIRONMENT, stdio: 'pipe', detached: true });
    const unregister = child.pid === undefined ? () => {} : killWithServer(child.pid);
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
      if (bytes > MAX_OUTPUT_BYTES) fail(outputTooLarge(name));
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS);
    });
    child.stdin.on('error', () => {}); // a program need not read its input
    child.stdin.end(JSON.stringify(input));
    // Children left behind may keep stdout open, which would delay `close`.
    child.on('exit', () => {
      killGroup(child.pid);
      unregister();
    });
    child.on('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      if (code !== 0) return reject(exitError(name, code, stderr));
      try {
        resolveOutput(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      } catch {
        reject(new AppError('invalid_output', `The output of the program of ${name} is not JSON.`));
      }
    });
  });
}

/** The error quotes the last line of stderr, unless stderr contains a credential. */
function exitError(name: string, code: number | null, stderr: string): AppError {
  const lastLine = stderr.trim().split('\n').at(-1)?.slice(0, MAX_QUOTED_CHARS) ?? '';
  const quote = lastLine === '' || detectCredential(stderr) ? '' : `: ${lastLine}`;
  return new AppError('handler_failed', `The program of ${name} ended with code ${code ?? 'none'}${quote}.`, {
    reason: 'program_failed',
  });
}

const outputTooLarge = (name: string) =>
  new AppError('invalid_output', `The program of ${name} printed more than 16 MiB.`, { reason: 'too_large' });

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
