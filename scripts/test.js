// Node-20-safe: installs, runs every check, builds, then runs every test. Ends with "N passed, N failed".
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';
import { check } from './check.js';
import { install, root, run } from './install.js';

install();
const report = join(root, 'node_modules/.helmdeck-tests.json');
rmSync(report, { force: true });

if (check() !== 0) fail();
console.log('— build');
if (build() !== 0) fail();
const only = process.argv.slice(2);
const code = run([
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...only,
]);
const { numPassedTests, numFailedTests, numPendingTests, success } = JSON.parse(readFileSync(report, 'utf8'));
const failed = Math.max(numFailedTests, code === 0 && success ? 0 : 1);
console.log(`${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

function fail() {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
