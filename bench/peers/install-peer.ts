import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathWithNode } from '../../test/clients/installed-client.ts';
import { LOADER } from './import-from.ts';

/** Cached between runs, outside the repository. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'helmdeck-peers');

export interface Installed {
  folder: string;
  packages: number;
  megabytes: number;
  seconds: number;
}

const folderOf = (name: string) => join(CACHE, name.replaceAll('/', '+'));

export const removeInstalled = (name: string) => rmSync(folderOf(name), { recursive: true, force: true });

/**
 * Installs packages into a folder of their own, from the registry with an empty npm cache, and measures that. Install
 * scripts do not run, and peers are installed only if they are named.
 */
export function installPeer(name: string, specifiers: string[]): Installed {
  const folder = folderOf(name);
  const record = join(folder, 'installed.json');
  if (existsSync(record)) return JSON.parse(readFileSync(record, 'utf8')) as Installed;
  console.log(`installing ${specifiers.join(' ')} into ${folder} …`);
  const staging = `${folder}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  writeFileSync(join(staging, LOADER.name), LOADER.text);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--cache', join(staging, '.npm')];
  const startMs = performance.now();
  const env = { ...process.env, PATH: pathWithNode() };
  const args = ['install', '--ignore-scripts', '--legacy-peer-deps', ...quiet, ...specifiers];
  const done = spawnSync('npm', args, { cwd: staging, encoding: 'utf8', env });
  if (done.status !== 0) throw new Error(`npm ${args.join(' ')}: ${done.stderr.slice(-2_000)}`);
  const seconds = (performance.now() - startMs) / 1000;
  rmSync(join(staging, '.npm'), { recursive: true, force: true });
  const files = globSync('node_modules/**', { cwd: staging }).map((path) => join(staging, path));
  const bytes = files.reduce((sum, path) => sum + (statSync(path).isFile() ? statSync(path).size : 0), 0);
  const lock = JSON.parse(readFileSync(join(staging, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const packages = Object.keys(lock.packages).length;
  const installed = { folder, packages, megabytes: bytes / 1e6, seconds };
  writeFileSync(join(staging, 'installed.json'), JSON.stringify(installed));
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
  return installed;
}
