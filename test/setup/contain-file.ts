import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { trackChildProcesses } from './child-processes.ts';

// Runs in the process of each test file, before the file.

// Settings that are not given are looked up in ./data, which must not be that of the checkout.
process.chdir(mkdtempSync(join(tmpdir(), 'cwd-')));

const children = trackChildProcesses();

/** Kills what tests started and a failure or a timeout kept them from stopping. */
function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

// Hooks run in reverse order, so this one runs after those of the file.
afterAll(killChildren);

// A file that cannot be loaded has no hooks: vitest then ends this process with SIGTERM, and a user with SIGINT. It is
// disconnected when vitest itself was killed.
process.once('exit', killChildren);
for (const event of ['SIGTERM', 'SIGINT', 'SIGHUP', 'disconnect'])
  process.once(event, () => {
    // Not process.exit(), which vitest replaces during a test.
    process.emit('exit', 1);
    process.kill(process.pid, 'SIGKILL');
  });
