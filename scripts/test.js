// Node-20-safe: installs, runs every check, which builds, then runs every test. Ends with "N passed, N failed".
import { check } from './check.js';
import { install } from './install.js';
import { printResult, runTests } from './run-tests.js';

install();
const isReady = check() === 0;
printResult(isReady ? await runTests(process.argv.slice(2)) : { passed: 0, failed: 1, skipped: 0 });
