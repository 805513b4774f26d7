import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPack, type TestServer, testServer } from '../testing/index.ts';
import { loadConfig } from './config/config.ts';
import { newPack, testPacks } from './pack-scaffold.ts';
import { loadOwnPacks } from './user-packs.ts';

let folder: string;
let server: TestServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-own-packs-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ HELMDECK_PACKS_DIR: folder });
const start = async (options = {}) => {
  server = await testServer({ env: env(), ...options });
  return server;
};
const write = (file: string, text: string | object) =>
  writeFileSync(join(folder, file), typeof text === 'string' ? text : JSON.stringify(text));
const program = (file: string, script: string) => {
  write(file, `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, file), 0o755);
};
const command = (more: object = {}) =>
  write('tool.pack.json', {
    name: 'own.tool',
    description: 'A program of the operator.',
    command: ['./tool.sh'],
    input_schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    ...more,
  });
const tool = (options = {}) => runPack(server!, 'ada', 'own.tool', { n: 1 }, options);
/** Neither gone nor dead and only not yet collected. */
const isRunning = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0] !== 'Z';
  } catch {
    return false;
  }
};

describe('a folder of own packs', () => {
  it('may hold programs with JSON on both sides', async () => {
    program(
      'tool.sh',
      'read -r input; echo "{\\"got\\":$input,\\"args\\":\\"$*\\",\\"key\\":\\"$HELMDECK_MEMORY_KEY\\"}"',
    );
    command({ command: ['./tool.sh', 'a', 'b c'] });
    await start();
    expect((await tool()).output).toEqual({ got: { n: 1 }, args: 'a b c', key: '' });
    await expect(runPack(server!, 'ada', 'own.tool', { n: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it.each([
    ['echo no >&2; exit 3', 'handler_failed', 'ended with code 3: no.'],
    ['echo "password is hunter2!x9" >&2; exit 3', 'handler_failed', 'ended with code 3.'],
    ['echo nonsense', 'invalid_output', 'not JSON'],
    ['echo "[1]"', 'invalid_output', 'may not'],
    ['yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'invalid_output', '16 MiB'],
  ])('whose program says %j has one typed answer', async (script, code, message) => {
    program('tool.sh', script);
    command();
    await start();
    const error = await tool().catch((thrown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('stops a program that takes too long, and what it started', async () => {
    const pids = join(folder, 'pids');
    program('tool.sh', `sleep 60 & echo $$ $! > ${pids}; wait`);
    command({ timeout_seconds: 2 }); // time enough to start, on a busy machine as well
    await start();
    await expect(tool()).rejects.toMatchObject({ code: 'timeout', reason: 'deadline' });
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(started).toHaveLength(2);
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it('does not wait for what a program left running, and ends it', async () => {
    const pids = join(folder, 'pids');
    program('tool.sh', `sleep 600 & echo $! > ${pids}; echo '{"fine":true}'`);
    command();
    await start();
    expect((await tool()).output).toEqual({ fine: true });
    const left = Number(readFileSync(pids, 'utf8'));
    await expect.poll(() => isRunning(left)).toBe(false);
  });

  it('says what is wrong with each file, and uses the others', async () => {
    command();
    write('broken.pack.json', '{');
    write('forever.pack.json', { name: 'own.x', description: 'x', command: ['x'], timeout_seconds: 600 });
    write('_ignored.pack.json', '{');
    write('note.txt', 'x');
    const files = await loadOwnPacks(folder);
    expect(files.map(({ file, problem }) => [file, problem !== undefined])).toEqual([
      ['broken.pack.json', true],
      ['forever.pack.json', true],
      ['tool.pack.json', false],
    ]);
    const problems: string[] = [];
    const nothing = () => {};
    const error = (_fields: object, message: string) => void problems.push(message);
    await start({ log: { isEnabled: () => false, debug: nothing, info: nothing, warn: nothing, error } });
    expect(problems).toHaveLength(2);
    await expect(tool(), 'the program is not there').rejects.toMatchObject({ reason: 'program_missing' });
  });

  it('that is not there is a mistake in the configuration', async () => {
    await expect(loadOwnPacks(join(folder, 'none'))).rejects.toMatchObject({ reason: 'configuration' });
  });

  it('may stand in for a built-in pack, which is back when the file is gone', async () => {
    program('tool.sh', 'echo "{}"');
    command({ name: 'artifact.list', description: 'Ours.' });
    await start({ watchPacks: true });
    const { packs } = server!.engine;
    const isOurs = () => packs.has('artifact.list') && packs.get('artifact.list').description === 'Ours.';
    expect(isOurs()).toBe(true);
    rmSync(join(folder, 'tool.pack.json'));
    await expect.poll(isOurs).toBe(false);
    expect(packs.has('artifact.list')).toBe(true);
  });

  it('is loaded again when it changes, where that is wanted', async () => {
    program('tool.sh', 'echo "{}"');
    command({ description: 'First.' });
    await start({ watchPacks: true });
    const { packs } = server!.engine;
    expect(packs.get('own.tool').description).toBe('First.');
    await sleep(20);
    command({ description: 'Second.', version: 'v2' });
    await expect.poll(() => packs.has('own.tool', 'v2')).toBe(true);
    expect(packs.has('own.tool', 'v1')).toBe(false);
  });
});

describe('the workshop', () => {
  it('writes a pack to start from, once', async () => {
    const { config } = loadConfig({ ...env(), HELMDECK_DB: 'memory:' });
    const { file } = await newPack(config, 'weather.get_forecast');
    expect(file).toMatch(/weather-get-forecast\.ts$/);
    await expect(newPack(config, 'weather.get_forecast')).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(newPack(config, '../x')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('checks the examples of programs, too', async () => {
    const { config } = loadConfig({ ...env(), HELMDECK_DB: 'memory:' });
    program('tool.sh', 'echo "{\\"n\\":1}"');
    const examples = [
      { input: { n: 1 }, output: { n: 1 } },
      { input: { n: 1 }, output: { n: 2 } },
    ];
    command({ examples });
    expect(await testPacks(config, undefined)).toEqual([
      { pack: 'own.tool', example: 1 },
      { pack: 'own.tool', example: 2, problem: 'The output is {"n":1}' },
    ]);
  });

  it('finds files that cannot be used', async () => {
    const { config } = loadConfig({ ...env(), HELMDECK_DB: 'memory:' });
    write('broken.pack.json', '{');
    expect(await testPacks(config, undefined)).toMatchObject([
      { pack: 'broken.pack.json', problem: expect.any(String) },
    ]);
    await expect(testPacks(config, 'own.none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
