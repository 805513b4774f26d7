// Node-20-safe: installs, builds and starts the server from a new clone.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';
import { install, root, suitableNode } from './install.js';

install();
if (isStale() && build() !== 0) process.exit(1);

const env = { HELMDECK_LOG_LEVEL: 'warn', ...process.env };
const args = [join(root, 'packages/helmdeck/bin/helmdeck.js'), 'serve', '--init', ...process.argv.slice(2)];
const server = spawn(suitableNode(), args, { cwd: root, env, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => {
  process.exitCode = code ?? 1;
});

/** Whether a source is newer than the build. */
function isStale() {
  return (
    isOlder('packages/helmdeck/dist/server/process/main.js', 'packages/helmdeck/src') ||
    isOlder('packages/helmdeck/ui-dist/index.html', 'ui/src')
  );
}

function isOlder(file, folder) {
  const built = join(root, file);
  if (!existsSync(built)) return true;
  const builtMs = statSync(built).mtimeMs;
  const source = join(root, folder);
  return readdirSync(source, { recursive: true }).some(
    (name) => statSync(join(source, name)).mtimeMs > builtMs,
  );
}
