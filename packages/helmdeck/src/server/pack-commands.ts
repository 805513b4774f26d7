import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Pack, PackExample } from '../engine/pack/pack.ts';
import { AppError, toAppError } from '../errors.ts';
import type { NewPack, PackTest } from '../surfaces/cli/deps.ts';
import { SCOPES } from '../surfaces/http/auth.ts';
import { buildServer, type Server } from './build.ts';
import type { Config } from './config/config.ts';
import { loadUserPacks } from './user-packs.ts';

// The commands `helmdeck pack new` and `helmdeck pack test`.

const DEFAULT_FOLDER = './packs';

/** Writes a sample pack to start from. */
export async function newPack(config: Config, name: string): Promise<NewPack> {
  if (!/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.test(name)) {
    throw new AppError('invalid_input', 'The name must look like family.verb_noun, in lower case.', {
      reason: 'usage',
      hint: 'For example: helmdeck pack new weather.get_forecast',
    });
  }
  const folder = config.packsDir ?? resolve(DEFAULT_FOLDER);
  // An .mts file is a module whatever the nearest package.json says; "npm init" writes "type": "commonjs".
  const path = join(folder, `${name.replaceAll(/[._]/g, '-')}.mts`);
  const file = relative(process.cwd(), path);
  await mkdir(folder, { recursive: true });
  await writeFile(path, template(name), { flag: 'wx' }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST') throw thrown;
    throw new AppError('conflict', `${file} already exists; it was not changed.`, {
      reason: 'file_exists',
      hint: 'Choose another name, or delete the file first.',
    });
  });
  return { file, folder, served: config.packsDir !== undefined };
}

function template(name: string): string {
  return `import { definePack } from 'helmdeck';
import { z } from 'zod';

export const pack = definePack({
  name: '${name}',
  version: 'v1',
  description: 'Greets a person. Describe what the pack does and when to use it: models read this.',
  input: z.object({
    who: z.string().describe('Whom to greet'),
  }),
  output: z.object({
    greeting: z.string(),
  }),
  metadata: { intent_keywords: ['greet someone'] },
  // Checked by "helmdeck pack test".
  examples: [{ input: { who: 'Ada' }, output: { greeting: 'Hello, Ada!' } }],
  async handler({ input, memory }) {
    await memory?.store('last-greeted', input.who, { ttlSeconds: 3600 });
    return { greeting: \`Hello, \${input.who}!\` };
  },
});
`;
}

/** Runs the examples of the operator's packs on a temporary server that persists nothing. */
export async function testPacks(config: Config, only: string | undefined): Promise<PackTest[]> {
  const folder = config.packsDir ?? resolve(DEFAULT_FOLDER);
  const files = await loadUserPacks(folder);
  const results: PackTest[] = [];
  for (const { file, problem } of files)
    if (problem !== undefined && only === undefined) results.push({ pack: file, example: 0, problem });
  const packs = files.flatMap((each) => each.packs).filter(({ name }) => only === undefined || name === only);
  if (packs.length === 0 && results.length === 0)
    throw new AppError('not_found', 'There is no such pack in the folder.', {
      hint: 'Check HELMDECK_PACKS_DIR.',
    });
  const silent = { isEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };
  const temporary: Config = {
    ...config,
    db: 'memory:',
    memoryKey: undefined,
    memoryKeysPrevious: [],
    packsDir: undefined,
    s3: undefined,
  };
  const server = await buildServer(temporary, { log: silent, packs });
  try {
    for (const pack of packs) results.push(...(await testPack(server, pack)));
  } finally {
    await server.close();
  }
  return results;
}

async function testPack(server: Server, pack: Pack): Promise<PackTest[]> {
  const results: PackTest[] = [];
  for (const [at, example] of pack.examples.entries()) {
    const problem = await runExample(server, pack, example);
    results.push({ pack: pack.name, example: at + 1, ...(problem === undefined ? {} : { problem }) });
  }
  return results.length > 0 ? results : [{ pack: pack.name, example: 0 }];
}

/** Runs one example; returns what is wrong with the result, if anything. */
async function runExample(
  server: Server,
  pack: Pack,
  { input, output }: PackExample,
): Promise<string | undefined> {
  try {
    const result = await server.engine.execute({
      pack: pack.name,
      version: pack.version,
      input,
      caller: { subject: 'pack-test' },
      source: { surface: 'cli' },
      scopes: new Set(SCOPES),
    });
    if (output === undefined || isDeepStrictEqual(result.output, output)) return undefined;
    return `The output is ${JSON.stringify(result.output).slice(0, 500)}`;
  } catch (thrown) {
    const error = toAppError(thrown);
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return `${error.code}: ${error.message}${cause}`;
  }
}
