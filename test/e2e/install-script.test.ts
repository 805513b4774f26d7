import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/install.js');
const LOCKED = {
  '': { name: 'workspace' },
  'node_modules/hono': {},
  'node_modules/typescript': { dev: true },
  'node_modules/binary-for-another-system': { optional: true },
};

/** Runs the script in a checkout with these packages in node_modules; returns the arguments of npm, if it ran. */
function install(installed: object | undefined, lockIsNewer = false): string[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-install-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  mkdirSync(join(folder, 'scripts'));
  cpSync(SCRIPT, join(folder, 'scripts/install.js'));
  write('package.json', '{"type":"module"}');
  write('package-lock.json', JSON.stringify({ packages: LOCKED }));
  if (installed) write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
  const seconds = Date.now() / 1000 + (lockIsNewer ? 60 : -60);
  utimesSync(join(folder, 'package-lock.json'), seconds, seconds);
  write('bin/npm', `#!/bin/sh\necho "$@" > ${join(folder, 'called')}\n`);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const program = `import { install } from ${JSON.stringify(pathToFileURL(join(folder, 'scripts/install.js')))}; install();`;
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, NODE_ENV: 'production' };
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
  expect(done.status, done.stderr).toBe(0);
  const called = join(folder, 'called');
  return existsSync(called) ? readFileSync(called, 'utf8').trim().split(' ') : undefined;
}

describe('the installation from the lock file', () => {
  const { '': _, 'node_modules/binary-for-another-system': __, ...complete } = LOCKED;

  it('a complete installation is kept', () => {
    expect(install(complete)).toBeUndefined();
  });

  it.each([
    ['no installation', undefined, false],
    ['an installation older than the lock file', complete, true],
    ['an installation without dev dependencies', { 'node_modules/hono': {} }, false],
  ])('%s is replaced by a complete one, also with NODE_ENV=production', (_what, installed, lockIsNewer) => {
    expect(install(installed, lockIsNewer)).toEqual(expect.arrayContaining(['ci', '--include=dev']));
  });
});
