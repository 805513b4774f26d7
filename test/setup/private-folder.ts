import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { trackChildProcesses } from './child-processes.ts';

/** Settings of the user that would change what is tested. `HELMDECK_TEST_*` are settings of the tests. */
const AMBIENT = /^(HELMDECK_(?!TEST_)|XDG_)/;

const WORKER_GRACE_MS = 500;

/** Gives this process, and every process it starts, a temporary folder of its own, which is removed at the end. */
export function usePrivateFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-tests-'));
  const workers = trackChildProcesses();
  process.once('exit', () => {
    endWorkers(workers);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  // Tests run PostgreSQL and the container image as other users.
  chmodSync(folder, 0o755);
  const home = join(folder, 'home');
  mkdirSync(home);
  // npm downloads the third-party programs of some tests, through the cache and the registry of the user.
  process.env.npm_config_cache ??= join(homedir(), '.npm');
  process.env.npm_config_userconfig ??= join(homedir(), '.npmrc');
  for (const name of Object.keys(process.env)) if (AMBIENT.test(name)) delete process.env[name];
  process.env.HOME = home;
  process.env.TMPDIR = folder;
}

/** After an interruption workers still run, and would write to the folder while and after it is removed. */
function endWorkers(workers: ReadonlySet<ChildProcess>): void {
  if (workers.size === 0) return;
  for (const worker of workers) worker.kill('SIGTERM');
  // An exiting process can only block.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WORKER_GRACE_MS);
  for (const worker of workers) worker.kill('SIGKILL');
}
