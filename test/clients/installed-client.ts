import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Cached between runs, outside the repository: the clients take hundreds of megabytes. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'helmdeck-clients');

/** Installs a published client once, without its scripts; returns the folder of its package. */
export function installedClient(name: string, version: string): string {
  const dir = join(CACHE, `${name.replace('/', '+')}@${version}`);
  const packageDir = join(dir, 'node_modules', name);
  if (existsSync(join(packageDir, 'package.json'))) return packageDir;
  console.log(`  installing ${name}@${version} into ${dir} …`);
  // Staged, so that an interrupted installation is not mistaken for a complete one.
  const staging = `${dir}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  const npm = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`],
    { cwd: staging, encoding: 'utf8', env: { ...process.env, PATH: pathWithNode() } },
  );
  if (npm.status !== 0) {
    rmSync(staging, { recursive: true, force: true });
    throw new Error(`npm cannot install ${name}@${version}: ${npm.stderr.slice(-1_000)}`);
  }
  rmSync(dir, { recursive: true, force: true });
  renameSync(staging, dir);
  return packageDir;
}

/** Puts the current Node first, so that processes started by clients do not use an older one. */
export const pathWithNode = () => `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
