// Node-20-safe: installs, then compiles the published package and the pages it serves.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, root, run } from './install.js';

export function build() {
  const packageDir = join(root, 'packages/helmdeck');
  const [src, dist] = [join(packageDir, 'src'), join(packageDir, 'dist')];
  rmSync(dist, { recursive: true, force: true });
  const code =
    run([join(root, 'node_modules/typescript/bin/tsc'), '-p', join(packageDir, 'tsconfig.build.json')]) ||
    run([join(root, 'scripts/generate-api-types.ts')]) ||
    run([join(root, 'node_modules/vite/bin/vite.js'), 'build', join(root, 'ui'), '--logLevel', 'warn']);
  // The compiler skips files that are not TypeScript.
  for (const file of readdirSync(src, { recursive: true }))
    if (/\.(lua|sql)$/.test(file)) cpSync(join(src, file), join(dist, file));
  // npm packs only files inside the package.
  cpSync(join(root, 'LICENSE'), join(packageDir, 'LICENSE'));
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  process.exitCode = build();
}
