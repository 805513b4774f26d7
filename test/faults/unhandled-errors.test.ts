import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = (...args: string[]) => {
  const file = join(import.meta.dirname, 'unhandled-errors-server.ts');
  return promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args]);
};

describe('unhandled rejections and exceptions', () => {
  it('unhandled errors of a pack do not end the server and are logged with the name of the pack, without their text', async () => {
    const { stdout, stderr } = await run();
    expect(stdout.trim().split('\n')).toEqual(['{"fine":true}', '{"fine":true}', '2']);
    const strays = stderr.split('\n').filter((line) => line.includes('unhandled error in a pack'));
    const packs = strays.map((line) => (JSON.parse(line) as { pack: string }).pack);
    expect(packs.toSorted()).toEqual(['careless.mjs', ...new Array(6).fill('test.leaky')]);
    expect(stderr).not.toContain('hunter2');
  });

  it('an unhandled error of the server itself ends it with code 1', async () => {
    const ended = await run('own').catch((thrown) => thrown);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain('unhandled error; the server exits');
  });
});
