import { homedir } from 'node:os';
import { type ClientStatus, connectStatus } from '../../surfaces/cli/connect/connect-status.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import type { Environment } from '../config/config.ts';
import { userFolder } from '../process/user-folder.ts';
import { fail, ok, warn } from './check-result.ts';

/** Whether the hooks that `connect` installed for this user reach their server. They are silent if they do not. */
export async function checkHooks(env: Environment, nowMs: number): Promise<Check[]> {
  if (!env.HOME && process.platform !== 'win32') return []; // a container, in which no programs run
  const machine = {
    homeDir: homedir(),
    stateDir: userFolder(env),
    workDir: process.cwd(),
    platform: process.platform,
    environment: env,
    launch: { command: process.execPath, args: [] },
  };
  const programs = await connectStatus(machine, nowMs);
  return programs
    .filter(({ auto_recall, auto_capture }) => auto_recall || auto_capture)
    .map((program) => checkOf(program));
}

function checkOf({ client, connected, server, address, last_run }: ClientStatus): Check {
  const name = `Hooks of ${client}`;
  const again = `Run "helmdeck connect ${client} --write".`;
  if (!connected) return fail(name, `They are installed, but ${client} is not connected.`, again);
  if (server === 'refused')
    return fail(name, `${address} refuses its token, so they say and send nothing.`, again);
  if (server === 'unreachable')
    return warn(
      name,
      `${address} does not answer, so they say and send nothing.`,
      'Start the server, or connect the program to another one.',
    );
  const last = last_run ? `They last ran at ${last_run.at} (${last_run.event}).` : 'They have not run yet.';
  return ok(name, `They reach ${address}. ${last}`);
}
