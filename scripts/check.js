// Node-20-safe: the checks that need no build and no test run, for `npm run check` and `npm test`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Runs every check until one fails; returns its exit code, 0 when all pass. */
export function check() {
  for (const [name, command] of CHECKS) {
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
