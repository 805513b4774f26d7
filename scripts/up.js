// Node-20-safe: installs, builds and starts the server from a new clone.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, isStale } from './build.js';
import { install, root, suitableNode } from './install.js';

install();
if (isStale() && build() !== 0) process.exit(1);
console.log(
  'Starting Helmdeck in the foreground. Use a second terminal for other commands; Ctrl-C stops it.',
);

// The channel closes when this process ends, also if it is killed: the server then stops.
const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
const env = { HELMDECK_LOG_LEVEL: 'warn', ...process.env, _HELMDECK_LAUNCHED: '1' };
const args = [join(root, 'packages/helmdeck/bin/helmdeck.js'), 'serve', '--init', ...process.argv.slice(2)];
const server = spawn(suitableNode(), args, { cwd: root, env, stdio });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
