import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../support/is-running.ts';

const SOURCE = join(import.meta.dirname, '../../packages/helmdeck/src/packs/command/run-program.ts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-kill-program-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('kill -9 while a pack runs a program', () => {
  it('after a kill -9 of the server, neither the program of a pack nor its child processes keep running', async () => {
    const pids = join(folder, 'pids');
    const call = {
      name: 'test.program',
      command: ['/bin/sh', '-c', `sleep 600 & echo $$ $! > ${pids}; wait`],
      folder,
      input: {},
    };
    const script = `import { runProgram } from ${JSON.stringify(pathToFileURL(SOURCE).href)};
      const ended = runProgram({ ...${JSON.stringify(call)}, signal: new AbortController().signal });
      process.send('begun');
      await ended;`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const begun = once(server, 'message');
    const started = () => {
      try {
        return readFileSync(pids, 'utf8').trim().split(' ').map(Number);
      } catch {
        return [];
      }
    };
    await expect.poll(() => started().filter(isRunning).length).toBe(2);
    await begun; // runProgram may still be registering the process in the first millisecond
    server.kill('SIGKILL');
    await expect.poll(() => started().filter(isRunning)).toEqual([]);
  });
});
