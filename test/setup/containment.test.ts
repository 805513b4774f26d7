import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../support/is-running.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** A test that writes what a process it starts sees of the machine. */
const LOOKS_AROUND = `
const { spawnSync } = require('node:child_process');
it('looks around', () => {
  const script = 'JSON.stringify([process.cwd(), os.homedir(), os.tmpdir(), Object.keys(process.env)])';
  const { stdout } = spawnSync(process.execPath, ['-p', script], { encoding: 'utf8' });
  require('node:fs').writeFileSync('FOLDER/surroundings', stdout);
});`;

/** A test file that starts a process, which holds the output of the run open and ignores SIGINT. */
const STARTS_PROCESS = `
const child = require('node:child_process').spawn('sh', ['-c', 'trap "" INT; exec sleep 600'], { stdio: 'inherit' });
require('node:fs').writeFileSync('FOLDER/pid', String(child.pid));
`;
const WRITES = `setInterval(() => require('node:fs').mkdirSync(process.env.TMPDIR + '/' + Math.random(), { recursive: true }));`;
const WAITS = 'await new Promise(() => {});';

/** A run of vitest on one test file, set up as this run is, beside a user's home, temporary folder and settings. */
async function runFixture(text: string, interruption?: NodeJS.Signals) {
  const folder = mkdtempSync(join(tmpdir(), 'fixture-'));
  const ofUser = join(folder, 'of-user');
  mkdirSync(ofUser);
  const [privateFolder, setupFiles] = ['private-folder.ts', 'contain-file.ts'].map((file) =>
    join(import.meta.dirname, file),
  );
  const config = { test: { globals: true, pool: 'forks', include: ['*.test.cjs'], setupFiles } };
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `import { usePrivateFolder } from ${JSON.stringify(privateFolder)};
    usePrivateFolder();
    export default ${JSON.stringify(config)};`,
  );
  writeFileSync(join(folder, 'one.test.cjs'), text.replaceAll('FOLDER', folder));
  const env = {
    PATH: process.env.PATH,
    HOME: ofUser,
    TMPDIR: ofUser,
    HELMDECK_DB: join(ofUser, 'helmdeck.db'),
  };
  // In its own process group: Ctrl-C in a terminal reaches all of them.
  const command = [process.execPath, VITEST, 'run', '--root', folder];
  const running = promisify(execFile)('setsid', command, { cwd: ofUser, env });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  if (interruption) {
    await expect.poll(() => existsSync(join(folder, 'pid')) && read('pid')).toBeTruthy();
    process.kill(interruption === 'SIGINT' ? -running.child.pid! : running.child.pid!, interruption);
  }
  const { code = 0, stdout } = (await running.catch((failure) => failure)) as {
    code?: number;
    stdout: string;
  };
  return { code, stdout, read, ofUser, left: () => readdirSync(ofUser) };
}

describe('a test run', () => {
  it('a test and what it starts see no folder and no setting of the user, and nothing is left of the run', async () => {
    const { code, stdout, read, ofUser, left } = await runFixture(LOOKS_AROUND);
    expect(code, stdout).toBe(0);
    const [cwd, home, temporary, names] = JSON.parse(read('surroundings')) as [
      string,
      string,
      string,
      string[],
    ];
    expect(home).toMatch(/helmdeck-tests-\w+\/home$/);
    for (const folder of [cwd, home, temporary]) {
      expect(folder.startsWith(join(ofUser, 'helmdeck-tests-')), folder).toBe(true);
    }
    expect(names.filter((name) => name.startsWith('HELMDECK_'))).toEqual([]);
    expect(left()).toEqual([]);
  });

  it.each([
    ['test fails', `it('fails', () => { throw new Error('on purpose'); });`],
    ['test times out', `it('waits', async () => { ${WAITS} }, 500);`],
    ['test file cannot be loaded', `throw new Error('on purpose');`],
  ])(
    'a run whose %s after it started a process ends, with the process, and leaves no folder',
    async (_what, then) => {
      const { code, stdout, read, left } = await runFixture(STARTS_PROCESS + then);
      expect(code).toBe(1);
      expect(stdout).toContain('1 failed');
      await expect.poll(() => isRunning(Number(read('pid')))).toBe(false);
      expect(left()).toEqual([]);
    },
  );

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'a run ended by %s while a test writes files ends what its tests started',
    async (signal) => {
      const waiting = `${STARTS_PROCESS} ${WRITES} it('waits', async () => { ${WAITS} }, 600_000);`;
      const { read, left } = await runFixture(waiting, signal);
      await expect.poll(() => isRunning(Number(read('pid')))).toBe(false);
      // Nothing can clean up after SIGKILL.
      if (signal !== 'SIGKILL') expect(left()).toEqual([]);
    },
  );
});
