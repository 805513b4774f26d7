import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from './helmdeck-process.ts';

let sandbox: Sandbox;
let env: Record<string, string>;
beforeAll(() => {
  sandbox = createSandbox();
  const folder = join(sandbox.dir, 'my-packs');
  mkdirSync(folder);
  env = { HELMDECK_PACKS_DIR: folder };
});
afterAll(() => sandbox.remove());

const helmdeck = (...args: string[]) => sandbox.run(args, { env });

describe('a user pack in TypeScript, without installing anything', () => {
  it('a user pack is created, tested and run from the command line', async () => {
    const made = await helmdeck('pack', 'new', 'greet.say_hello', '--json');
    expect(made).toMatchObject({ code: 0 });
    const tested = await helmdeck('pack', 'test', '--json');
    expect(JSON.parse(tested.out)).toEqual({ tests: [{ pack: 'greet.say_hello', example: 1 }], failed: 0 });
    expect((await helmdeck('init')).code).toBe(0);
    const run = await helmdeck('run', 'greet.say_hello', '--input', '{"who":"Bob"}');
    expect(run).toMatchObject({ code: 0 });
    expect(JSON.parse(run.out)).toEqual({ greeting: 'Hello, Bob!' });
  });

  it('a pack works beside the package.json of "npm init", and pack new says that serve does not load ./packs by itself', async () => {
    const own = createSandbox();
    try {
      writeFileSync(join(own.dir, 'package.json'), '{ "name": "mine", "type": "commonjs" }');
      const made = await own.run(['pack', 'new', 'greet.say_hello']);
      expect(made).toMatchObject({ code: 0 });
      expect(made.out).toContain('packs/greet-say-hello.mts');
      expect(made.err).toContain(`HELMDECK_PACKS_DIR=${join(realpathSync(own.dir), 'packs')}`);
      expect(await own.run(['pack', 'test'])).toMatchObject({ code: 0, err: '' });
      const again = await own.run(['pack', 'new', 'greet.say_hello']);
      expect(again).toMatchObject({ code: 6, out: '' });
      expect(again.err).toContain('already exists');
      const folder = join(own.dir, 'packs');
      renameSync(join(folder, 'greet-say-hello.mts'), join(folder, 'greet-say-hello.ts'));
      const refused = await own.run(['pack', 'test']);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.out).toContain('Rename the file to .mts');
      const env = { HELMDECK_PACKS_DIR: folder };
      expect((await own.run(['pack', 'new', 'greet.say_bye'], { env })).err).toBe('');
    } finally {
      await own.remove();
    }
  });

  it('the packs folder can be a symbolic link', async () => {
    const link = join(sandbox.dir, 'linked-packs');
    symlinkSync(env.HELMDECK_PACKS_DIR!, link);
    const tested = await sandbox.run(['pack', 'test', '--json'], { env: { HELMDECK_PACKS_DIR: link } });
    expect(JSON.parse(tested.out)).toMatchObject({ failed: 0 });
  });

  it('pack test fails a wrong example and shows the actual output', async () => {
    const file = join(sandbox.dir, 'my-packs/greet-say-hello.mts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Hello, Ada!', 'Good day!'));
    const tested = await helmdeck('pack', 'test');
    expect(tested.code).toBe(1);
    expect(tested.out).toContain(
      'failed  greet.say_hello example 1: The output is {"greeting":"Hello, Ada!"}',
    );
  });
});

describe('the how-to about user packs', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/howto/your-own-packs.md'), 'utf8');
  const code = (language: string) =>
    [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
      ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
  const commands = code('sh')
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('helmdeck '));
  /** Splits a line as a shell does. */
  const words = (line: string) =>
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);

  it('the commands of the how-to about user packs work as printed', async () => {
    const own = createSandbox();
    const folder = join(own.dir, 'packs');
    own.env.HELMDECK_PACKS_DIR = folder;
    const run = async (line: string) => {
      const { code: exit, out, err } = await own.run(words(line));
      expect(exit, `${line}\n${err}`).toBe(0);
      return out;
    };
    try {
      const [make, test, serve, first, remember, second] = commands as [
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      await run(make);
      writeFileSync(join(folder, 'text-read-aloud.mts'), code('ts')[0]!);
      writeFileSync(join(folder, 'count-words.cjs'), code('js')[0]!);
      chmodSync(join(folder, 'count-words.cjs'), 0o755);
      writeFileSync(join(folder, 'count-words.pack.json'), code('json')[0]!);
      expect((await run(`${test} --json`)).trim()).toContain('"failed":0');
      await own.serve(...words(serve).slice(1));
      expect(JSON.parse(await run(first))).toEqual({ minutes: 0.02 });
      await run(remember);
      expect(JSON.parse(await run(second))).toEqual({ minutes: 0.05 });
      const counted = await run('helmdeck run text.count_words --input \'{"text":"The text is here"}\'');
      expect(JSON.parse(counted)).toEqual({ words: 4 });
    } finally {
      await own.remove();
    }
  });
});
