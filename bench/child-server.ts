import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface ChildServer {
  child: ChildProcess;
  url: string;
  token: string;
}

/** Starts a server of this folder in a child process, so that the load generator does not share its event loop. */
export async function startServer(file: string, env: NodeJS.ProcessEnv = {}): Promise<ChildServer> {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const [message] = (await once(child, 'message')) as [{ url: string; token: string }];
  return { child, ...message };
}

/** Microseconds of CPU a server has used so far. */
export async function cpuOf({ child }: ChildServer): Promise<number> {
  child.send({ cpu: true });
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}
