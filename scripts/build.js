// Node-20-safe: installs, then compiles the published package and the pages it serves.
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, root, run } from './install.js';

const packageDir = join(root, 'packages/helmdeck');
const node = (path, ...args) => run([join(root, path), ...args]);

/** Compiles beside the old build and then replaces it, because a running server imports some files on demand. */
export function build() {
  console.log('Building …');
  const folder = mkdtempSync(join(packageDir, '.build-'));
  try {
    const [dist, uiDist] = ['dist', 'ui-dist'].map((name) => join(folder, name));
    const project = join(packageDir, 'tsconfig.build.json');
    const code =
      node('node_modules/typescript/bin/tsc', '-p', project, '--outDir', dist) ||
      node('scripts/generate-api-types.ts') ||
      node('node_modules/vite/bin/vite.js', 'build', join(root, 'ui'), '--outDir', uiDist, '--logLevel=warn');
    if (code !== 0) return code;
    // The compiler skips files that are not TypeScript.
    const src = join(packageDir, 'src');
    for (const file of readdirSync(src, { recursive: true }))
      if (/\.(lua|sql)$/.test(file)) cpSync(join(src, file), join(dist, file));
    for (const name of ['dist', 'ui-dist']) {
      const target = join(packageDir, name);
      if (existsSync(target)) renameSync(target, join(folder, `${name}-before`));
      renameSync(join(folder, name), target);
    }
    // npm packs only files inside the package.
    cpSync(join(root, 'LICENSE'), join(packageDir, 'LICENSE'));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a source is newer than the build. */
export function isStale() {
  return (
    isOlder('dist/server/process/main.js', 'packages/helmdeck/src') || isOlder('ui-dist/index.html', 'ui/src')
  );
}

function isOlder(file, folder) {
  const built = join(packageDir, file);
  if (!existsSync(built)) return true;
  const builtMs = statSync(built).mtimeMs;
  const source = join(root, folder);
  return readdirSync(source, { recursive: true }).some(
    (name) => statSync(join(source, name)).mtimeMs > builtMs,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  process.exitCode = build();
}
