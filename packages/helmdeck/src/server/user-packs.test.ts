import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runPack, type TestServer, testServer } from '../testing/index.ts';
import { loadConfig } from './config/config.ts';
import { newPack, testPacks } from './pack-commands.ts';
import { loadUserPacks } from './user-packs.ts';

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
/** False for a zombie, too. */
const isRunning = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0] !== 'Z';
  } catch {
    return false;
  }
};

describe('user packs', () => {
  it("a program with JSON input and output can be a pack, and gets nothing of the server's environment", async () => {
    vi.stubEnv('HELMDECK_MEMORY_KEY', 'ab'.repeat(32));
    onTestFinished(() => void vi.unstubAllEnvs());
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
    ['echo "[1]"', 'invalid_output', 'invalid output'],
    ['yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'invalid_output', '16 MiB'],
  ])('a command pack whose program runs %j fails with one typed error', async (script, code, message) => {
    program('tool.sh', script);
    command();
    await start();
    const error = await tool().catch((thrown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('a program over its timeout is killed with its child processes', async () => {
    const pids = join(folder, 'pids');
    program('tool.sh', `sleep 60 & echo $$ $! > ${pids}; wait`);
    command({ timeout_seconds: 2 }); // long enough to start even on a busy machine
    await start();
    await expect(tool()).rejects.toMatchObject({ code: 'timeout', reason: 'deadline' });
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(started).toHaveLength(2);
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it('child processes that a program leaves running are killed without waiting for them', async () => {
    const pids = join(folder, 'pids');
    program('tool.sh', `sleep 600 & echo $! > ${pids}; echo '{"fine":true}'`);
    command();
    await start();
    expect((await tool()).output).toEqual({ fine: true });
    const left = Number(readFileSync(pids, 'utf8'));
    await expect.poll(() => isRunning(left)).toBe(false);
  });

  it('invalid pack files are reported and the others are loaded', async () => {
    command();
    write('broken.pack.json', '{');
    write('forever.pack.json', { name: 'own.x', description: 'x', command: ['x'], timeout_seconds: 600 });
    write('_ignored.pack.json', '{');
    write('note.txt', 'x');
    const files = await loadUserPacks(folder);
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

  it('a missing packs folder is a configuration error', async () => {
    await expect(loadUserPacks(join(folder, 'none'))).rejects.toMatchObject({ reason: 'configuration' });
  });

  it('a user pack can replace a built-in pack until its file is removed', async () => {
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

  it('packs are reloaded on change when watching is on', async () => {
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

describe('pack new and pack test', () => {
  it('pack new writes a sample pack and does not overwrite it', async () => {
    const { config } = loadConfig({ ...env(), HELMDECK_DB: 'memory:' });
    const { file } = await newPack(config, 'weather.get_forecast');
    expect(file).toMatch(/weather-get-forecast\.mts$/);
    await expect(newPack(config, 'weather.get_forecast')).rejects.toMatchObject({
      code: 'conflict',
      reason: 'file_exists',
    });
    await expect(newPack(config, '../x')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('pack test runs the examples of command packs', async () => {
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

  it('pack test reports invalid files', async () => {
    const { config } = loadConfig({ ...env(), HELMDECK_DB: 'memory:' });
    write('broken.pack.json', '{');
    expect(await testPacks(config, undefined)).toMatchObject([
      { pack: 'broken.pack.json', problem: expect.any(String) },
    ]);
    await expect(testPacks(config, 'own.none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
