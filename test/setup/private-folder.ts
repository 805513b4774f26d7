import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings of the user that would change what is tested. `HELMDECK_TEST_*` are settings of the tests. */
const AMBIENT = /^(HELMDECK_(?!TEST_)|XDG_)/;

/** Gives this process, and every process it starts, a temporary folder of its own, which is removed at the end. */
export function usePrivateFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
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
