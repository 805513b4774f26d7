import { homedir } from 'node:os';
import { runHook } from '../../surfaces/cli/hook/run-hook.ts';
import { userFolder } from './user-folder.ts';

/**
 * `helmdeck hook` without the rest of the program: a program waits for it before every prompt. Prints exactly the JSON that
 * the program expects, or nothing; the exit code is always 0.
 */
export async function hook([program = '', event = '', ...options]: readonly string[]): Promise<void> {
  try {
    const machine = {
      homeDir: homedir(),
      stateDir: userFolder(process.env),
      workDir: process.cwd(),
      platform: process.platform,
      environment: process.env,
      launch: { command: process.execPath, args: [] },
    };
    const call = { program, event, input: await readAll(), ask: options.includes('--ask') };
    process.stdout.write(await runHook(call, machine, Date.now()));
  } catch {
    // The conversation goes on without notes.
  }
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
