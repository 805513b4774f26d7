import { homedir } from 'node:os';
import { type FindServer, runHook } from '../../surfaces/cli/hook/run-hook.ts';
import type { Environment } from '../config/config.ts';
import { userFolder } from '../process/user-folder.ts';

/** Runs a hook on the streams of this process. Prints exactly the JSON that the program expects, or nothing, and never throws. */
export async function runHookProcess(
  [program = '', event = '', ...options]: readonly string[],
  env: Environment,
  findServer: FindServer,
): Promise<void> {
  try {
    const machine = {
      homeDir: homedir(),
      stateDir: userFolder(env),
      workDir: process.cwd(),
      platform: process.platform,
      environment: env,
      launch: { command: process.execPath, args: [] },
    };
    const at = options.indexOf('--spaces');
    const spaces = at < 0 ? undefined : options[at + 1];
    const call = { program, event, input: await readAll(), ask: options.includes('--ask'), spaces };
    process.stdout.write(await runHook(call, machine, Date.now(), findServer));
  } catch {
    // The conversation goes on without notes.
  }
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
