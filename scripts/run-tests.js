// Node-20-safe: runs vitest and counts its results.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, suitableNode } from './install.js';

const dataDir = join(root, 'data');

/** Runs the tests that the arguments select, or all; returns how many passed, failed and were skipped. */
export async function runTests(args) {
  const report = join(root, 'node_modules/.helmdeck-tests.json');
  rmSync(report, { force: true });
  const before = dataFiles();
  const code = await runVitest([
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ]);
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, success = false } = results;
  let failed = Math.max(numFailedTests, code === 0 && success ? 0 : 1);
  const after = dataFiles();
  if (before !== undefined && after !== undefined && before !== after) {
    console.error(`${dataDir} has changed: tests must not use it (or a server ran there meanwhile).`);
    failed += 1;
  }
  return { passed: numPassedTests, failed, skipped: numPendingTests };
}

/** The line that ends a test run. */
export function printResult({ passed, failed, skipped }) {
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Not synchronous, so that a signal to this process ends the tests too. */
function runVitest(args) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(suitableNode(), [vitest, ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** The files of the checkout's data folder, with size and time; undefined while a server uses it. */
function dataFiles() {
  if (!existsSync(dataDir)) return 'none';
  if (isServerRunning()) return undefined;
  // The folder itself too: its time tells that a file came and went.
  const paths = ['.', ...readdirSync(dataDir, { recursive: true }).sort()];
  return JSON.stringify(
    paths.map((path) => {
      const { size, mtimeMs } = statSync(join(dataDir, path));
      return [path, size, mtimeMs];
    }),
  );
}

function isServerRunning() {
  try {
    process.kill(JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')).pid, 0);
    return true;
  } catch (thrown) {
    return thrown.code === 'EPERM';
  }
}
