// Node-20-safe: the checks that need no test run, for `npm run check` and `npm test`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, isStale } from './build.js';
import { install, root, run } from './install.js';

const bin = (path) => join(root, 'node_modules', path);

/** Each check by name, with its command. */
const CHECKS = [
  ['format and lint', [bin('@biomejs/biome/bin/biome'), 'check', '.']],
  ['types of the REST API', [join(root, 'scripts/generate-api-types.ts'), '--check']],
  ['OpenAPI document', [join(root, 'scripts/lint-openapi.ts')]],
  ['types', [bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json']],
  ['types of the UI', [bin('typescript/bin/tsc'), '--noEmit', '-p', 'ui/tsconfig.json']],
  ['unused files, exports and dependencies', [bin('knip/bin/knip.js')]],
  [
    'links and names in the docs',
    [bin('vitest/vitest.mjs'), 'run', '--reporter=dot', 'test/docs/docs.test.ts'],
  ],
];

/** Needs what is built, so that it builds. */
const PACKAGES = ['published packages', [join(root, 'scripts/lint-packages.ts')]];

/** Runs every check until one fails, and builds; returns an exit code, 0 when all pass. */
export function check() {
  return runAll(CHECKS) || (isStale() ? build() : 0) || runAll([PACKAGES]);
}

function runAll(checks) {
  for (const [name, command] of checks) {
    console.log(`— ${name}`);
    const code = run(command);
    if (code !== 0) return code;
  }
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  process.exitCode = check();
}
