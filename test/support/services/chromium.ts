import { existsSync } from 'node:fs';
import { installPackage } from './debian-package.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const HINT = 'Install one ("apt-get install chromium") or set HELMDECK_TEST_CHROMIUM to its path.';

/**
 * Finds Chromium on this machine, or installs the Debian package; HELMDECK_TEST_CHROMIUM overrides the path. Without
 * one the UI tests are skipped with a warning; under `CI=true` it is an error.
 */
export function findChromium(): string | undefined {
  const override = process.env.HELMDECK_TEST_CHROMIUM;
  const find = () => (override ? [override] : PROGRAMS).find((path) => existsSync(path));
  const found = find();
  if (found) return found;
  const problem = override ? `there is no ${override}` : installPackage('chromium');
  const installed = find();
  if (installed) return installed;
  const reason = `there is no Chromium: ${problem ?? 'its package does not contain one'}.`;
  if (process.env.CI === 'true') throw new Error(`The UI tests cannot run: ${reason} ${HINT}`);
  console.warn(`The UI tests are skipped: ${reason} ${HINT}`);
  return undefined;
}
