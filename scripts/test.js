// Node-20-safe: installs, checks format and types, builds, then runs every test. Ends with "N passed, N failed".
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';
import { install, root, run } from './install.js';

install();
const bin = (path) => join(root, 'node_modules', path);
const report = join(root, 'node_modules/.helmdeck-tests.json');
rmSync(report, { force: true });

step('format and lint', () => run([bin('@biomejs/biome/bin/biome'), 'check', '.']));
step('API types of the UI', () => run(['scripts/generate-api-types.ts', '--check']));
step(
  'types',
  () =>
    run([bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json']) ||
    run([bin('typescript/bin/tsc'), '--noEmit', '-p', 'ui/tsconfig.json']),
);
step('build', build);
const only = process.argv.slice(2);
const code = run([
  bin('vitest/vitest.mjs'),
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

function step(name, work) {
  console.log(`— ${name}`);
  if (work() === 0) return;
  console.log('0 passed, 1 failed');
  process.exit(1);
}
