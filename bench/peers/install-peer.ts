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
import { dirname, join } from 'node:path';
import { pathWithNode } from '../../test/clients/installed-client.ts';
import { LOADER } from './import-from.ts';

/** Cached between runs, outside the repository. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'helmdeck-peers');

export interface Installed {
  folder: string;
  packages: number;
  megabytes: number;
  seconds: number;
  /** How long compiling what is native took besides. */
  compileSeconds: number;
}

/**
 * Installs packages into a folder of their own, from the registry with an empty npm cache, and measures that. Install
 * scripts do not run, but `compiled` names a package to build from source with the headers of this Node.
 */
export function installPeer(name: string, specifiers: string[], compiled?: string): Installed {
  const folder = join(CACHE, name.replaceAll('/', '+'));
  const record = join(folder, 'installed.json');
  if (existsSync(record)) return JSON.parse(readFileSync(record, 'utf8')) as Installed;
  console.log(`installing ${specifiers.join(' ')} into ${folder} …`);
  const staging = `${folder}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, 'package.json'), '{"private":true}');
  writeFileSync(join(staging, LOADER.name), LOADER.text);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--cache', join(staging, '.npm')];
  const seconds = npm(staging, ['install', '--ignore-scripts', ...quiet, ...specifiers]);
  const compileSeconds = compiled ? npm(staging, ['rebuild', '--foreground-scripts', compiled]) : 0;
  rmSync(join(staging, '.npm'), { recursive: true, force: true });
  const files = globSync('node_modules/**', { cwd: staging }).map((path) => join(staging, path));
  const bytes = files.reduce((sum, path) => sum + (statSync(path).isFile() ? statSync(path).size : 0), 0);
  const lock = JSON.parse(readFileSync(join(staging, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const packages = Object.keys(lock.packages).length;
  const installed = { folder, packages, megabytes: bytes / 1e6, seconds, compileSeconds };
  writeFileSync(join(staging, 'installed.json'), JSON.stringify(installed));
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
  return installed;
}

/** Runs npm; returns how many seconds it took. */
function npm(cwd: string, args: string[]): number {
  const startMs = performance.now();
  const nodeFolder = dirname(dirname(process.execPath));
  const headers = existsSync(join(nodeFolder, 'include/node')) ? { npm_config_nodedir: nodeFolder } : {};
  const env = { ...process.env, PATH: pathWithNode(), ...headers };
  const done = spawnSync('npm', args, { cwd, encoding: 'utf8', env, maxBuffer: 2 ** 28 });
  if (done.status !== 0) throw new Error(`npm ${args.join(' ')}: ${done.stderr.slice(-2_000)}`);
  return (performance.now() - startMs) / 1000;
}
