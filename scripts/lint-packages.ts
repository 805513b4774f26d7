import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './install.js';

// Checks the packages as npm would publish them, a part of `npm run check`: publint looks at package.json and its files,
// attw resolves every export as TypeScript does. Needs a build.

const ROOT = join(import.meta.dirname, '..');
const bin = (path: string) => join(ROOT, 'node_modules', path);

function pack(folder: string, target: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
  const done = spawnSync('npm', args, { cwd: join(ROOT, folder), encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return join(target, done.stdout.trim());
}

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-packages-'));
try {
  pack('packages/helmdeck', folder);
  pack('integrations/openclaw', folder);
  for (const name of readdirSync(folder)) {
    const tarball = join(folder, name);
    const code = run([bin('publint/src/cli.js'), '--strict', tarball]);
    // The plugin has no types: OpenClaw reads it, not people's programs.
    const types = name.startsWith('helmdeck-')
      ? run([
          bin('@arethetypeswrong/cli/dist/index.js'),
          tarball,
          '--profile=esm-only',
          '--format=ascii',
          '--quiet',
        ])
      : 0;
    if (code + types !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
