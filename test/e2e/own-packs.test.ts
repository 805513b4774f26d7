import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Place } from './helmdeck-process.ts';

let place: Place;
let env: Record<string, string>;
beforeAll(() => {
  place = createPlace();
  const folder = join(place.dir, 'my-packs');
  mkdirSync(folder);
  env = { HELMDECK_PACKS_DIR: folder };
});
afterAll(() => place.remove());

const helmdeck = (...args: string[]) => place.run(args, { env });

describe('a pack of one’s own, in TypeScript, without installing anything', () => {
  it('is written, tested and run from the command line', async () => {
    const made = await helmdeck('pack', 'new', 'greet.say_hello', '--json');
    expect(made).toMatchObject({ code: 0 });
    const tested = await helmdeck('pack', 'test', '--json');
    expect(JSON.parse(tested.out)).toEqual({ tests: [{ pack: 'greet.say_hello', example: 1 }], failed: 0 });
    expect((await helmdeck('init')).code).toBe(0);
    const run = await helmdeck('run', 'greet.say_hello', '--input', '{"who":"Bob"}');
    expect(run).toMatchObject({ code: 0 });
    expect(JSON.parse(run.out)).toEqual({ greeting: 'Hello, Bob!' });
  });

  it('whose example is wrong fails its test, with what came out instead', async () => {
    const file = join(place.dir, 'my-packs/greet-say-hello.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Hello, Ada!', 'Good day!'));
    const tested = await helmdeck('pack', 'test');
    expect(tested.code).toBe(1);
    expect(tested.out).toContain(
      'failed  greet.say_hello example 1: The output is {"greeting":"Hello, Ada!"}',
    );
  });
});
