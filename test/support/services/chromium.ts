import { existsSync } from 'node:fs';
import { installPackage } from './debian-package.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ADVICE = 'Install one ("apt-get install chromium") or set HELMDECK_TEST_CHROMIUM to its path.';

/**
 * A Chromium of this machine, or one from Debian's packages where that can be had; HELMDECK_TEST_CHROMIUM names another.
 * Without one the tests of the UI are skipped, which is said; under `CI=true` it is an error.
 */
export function findChromium(): string | undefined {
  const named = process.env.HELMDECK_TEST_CHROMIUM;
  const find = () => (named ? [named] : PROGRAMS).find((path) => existsSync(path));
  const there = find();
  if (there) return there;
  const problem = named ? `there is no ${named}` : installPackage('chromium');
  const installed = find();
  if (installed) return installed;
  const why = `there is no Chromium: ${problem ?? 'its package did not bring one'}.`;
  if (process.env.CI === 'true') throw new Error(`The tests of the UI cannot run: ${why} ${ADVICE}`);
  console.warn(`The tests of the UI are skipped: ${why} ${ADVICE}`);
  return undefined;
}
