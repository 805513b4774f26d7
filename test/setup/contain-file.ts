import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Runs in the process of each test file, before the file.

// Settings that are not given are looked up in ./data, which must not be that of the checkout.
process.chdir(mkdtempSync(join(tmpdir(), 'cwd-')));

const children = new Set<ChildProcess>();
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  children.add(child);
  child.once('exit', () => children.delete(child));
});

/** Kills what tests started and a failure or a timeout kept them from stopping. */
function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

// Hooks run in reverse order, so this one runs after those of the file.
afterAll(killChildren);

// A file that cannot be loaded has no hooks: vitest then ends this process with SIGTERM, and a user with SIGINT.
process.once('exit', killChildren);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.once(signal, () => {
    // Not process.exit(), which vitest replaces during a test.
    process.emit('exit', 1);
    process.kill(process.pid, 'SIGKILL');
  });
