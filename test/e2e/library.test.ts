import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const PACKAGE = resolve(import.meta.dirname, '../../packages/helmdeck');

/** The program that the package's README shows. */
function readmeSample(): string {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  return /^## As a library\n[\s\S]*?^```ts\n([\s\S]*?)^```/m.exec(readme)![1]!;
}

it.each(['debug', 'warn', 'silent'])(
  'the library sample of the package README serves requests, and logs them to the console at level %s',
  async (level) => {
    const dir = mkdtempSync(join(tmpdir(), 'helmdeck-library-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    mkdirSync(join(dir, 'node_modules'));
    symlinkSync(PACKAGE, join(dir, 'node_modules/helmdeck'));
    writeFileSync(join(dir, 'sample.mts'), readmeSample());
    const env = {
      PATH: process.env.PATH,
      HELMDECK_ADDR: '127.0.0.1:0',
      HELMDECK_LOG_LEVEL: level,
      HELMDECK_DB: 'memory:',
    };
    const child = spawn(process.execPath, ['sample.mts'], { cwd: dir, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    const url = await new Promise<string>((resolveUrl, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const found = /listening on (http:\S+)/.exec(output)?.[1];
        if (found) resolveUrl(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => reject(new Error(`the sample exited with ${code}: ${output}`)));
    });
    expect((await fetch(`${url}/api/v1/memory/mine`)).status).toBe(401);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(output.includes("route: '/healthz'")).toBe(level === 'debug');
    expect(output.includes('NO MEMORY KEY IS SET')).toBe(level !== 'silent');
  },
);
