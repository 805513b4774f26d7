// Node-20-safe: runs the tests that its arguments name beside a server that `npm run up` has started in this checkout.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root } from './install.js';
import { printResult, runTests } from './run-tests.js';

install();
const serverFile = () => readFileSync(join(root, 'data/server.json'), 'utf8');
const up = spawn(process.execPath, [join(root, 'scripts/up.js')], {
  cwd: root,
  // Any free port: another program may have 3000.
  env: { ...process.env, HELMDECK_ADDR: '127.0.0.1:0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => up.kill());
const ended = new Promise((resolve) => up.on('exit', resolve));
const result = { passed: 0, failed: 1, skipped: 0 };
if (await isListening()) {
  const before = serverFile();
  Object.assign(result, await runTests(process.argv.slice(2)));
  check('data/server.json is still that of the running server', () => serverFile() === before);
  check(
    'helmdeck list finds the running server',
    () => spawnSync(join(root, 'node_modules/.bin/helmdeck'), ['list'], { cwd: root }).status === 0,
  );
  up.kill();
  const code = await ended;
  check('the server ends with code 0', () => code === 0);
}
console.log('In a checkout in use:');
printResult(result);

/** False if the server ended before it listened. */
function isListening() {
  let output = '';
  up.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const listens = new Promise((resolve) =>
    up.stdout.on('data', () => output.includes('Helmdeck is listening on') && resolve(true)),
  );
  return Promise.race([listens, ended.then(() => false)]);
}

/** Counts a condition as a test. */
function check(name, holds) {
  let held = false;
  try {
    held = holds();
  } catch (thrown) {
    console.error(String(thrown));
  }
  console.log(`${held ? '✓' : '×'} ${name}`);
  result[held ? 'passed' : 'failed'] += 1;
}
