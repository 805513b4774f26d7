// Node-20-safe: installs, then compiles the published package and the pages it serves.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, root, run } from './install.js';

export function build() {
  const packageDir = join(root, 'packages/helmdeck');
  rmSync(join(packageDir, 'dist'), { recursive: true, force: true });
  const code =
    run([join(root, 'node_modules/typescript/bin/tsc'), '-p', join(packageDir, 'tsconfig.build.json')]) ||
    run([join(root, 'scripts/generate-api-types.ts')]) ||
    run([join(root, 'node_modules/vite/bin/vite.js'), 'build', join(root, 'ui'), '--logLevel', 'warn']);
  // npm packs only what lies inside the package.
  cpSync(join(root, 'LICENSE'), join(packageDir, 'LICENSE'));
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  process.exitCode = build();
}
