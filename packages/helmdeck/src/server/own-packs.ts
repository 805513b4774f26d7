import { watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pack } from '../engine/pack.ts';
import type { PackRegistry } from '../engine/pack-registry.ts';
import { AppError } from '../errors.ts';
import { commandPack } from '../packs/command/command-pack.ts';
import type { RestLog } from '../surfaces/rest/route.ts';

/** What one file of the folder holds, or what is wrong with it. */
export interface OwnPackFile {
  file: string;
  packs: Pack[];
  problem?: string;
}

const MODULE = /^(?![._]).*(?<!\.test|\.d)\.(?:ts|mts|js|mjs)$/;
const MANIFEST = /^(?![._]).*\.pack\.json$/;
const RELOAD_PAUSE_MS = 100;

/** Every pack of the operator's folder. A file that cannot be used keeps no other from being used. */
export async function loadOwnPacks(folder: string): Promise<OwnPackFile[]> {
  shareOurModules(folder);
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (thrown) {
    throw new AppError('invalid_input', 'HELMDECK_PACKS_DIR cannot be read.', {
      reason: 'configuration',
      hint: 'Make the folder, or correct the setting.',
      cause: thrown,
    });
  }
  const files = names.filter((name) => MODULE.test(name) || MANIFEST.test(name)).sort();
  return Promise.all(files.map((file) => loadFile(folder, file)));
}

async function loadFile(folder: string, file: string): Promise<OwnPackFile> {
  try {
    const packs = MANIFEST.test(file)
      ? [commandPack(JSON.parse(await readFile(join(folder, file), 'utf8')), folder)]
      : await packsOfModule(join(folder, file));
    return packs.length > 0 ? { file, packs } : { file, packs, problem: 'It exports no pack.' };
  } catch (thrown) {
    // The operator's own file on the operator's own machine: its text helps and leaks nothing.
    return { file, packs: [], problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function packsOfModule(path: string): Promise<Pack[]> {
  const { mtimeMs } = await stat(path);
  // A changed file has another address, so that it is loaded again.
  const exports = (await import(`${pathToFileURL(path).href}?v=${mtimeMs}`)) as Record<string, unknown>;
  return [...new Set(Object.values(exports))].filter(isPack);
}

function isPack(value: unknown): value is Pack {
  const pack = value as Pack | null;
  return (
    typeof pack === 'object' && typeof pack?.definitionHash === 'string' && typeof pack.handler === 'function'
  );
}

const shared = new Set<string>();

/** Packs import `helmdeck` and `zod` without installing them: they get the server's own. */
function shareOurModules(folder: string): void {
  const base = `${pathToFileURL(folder).href}/`;
  if (shared.has(base)) return;
  shared.add(base);
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const ours: Record<string, string> = {
    helmdeck: new URL(`../index.${extension}`, import.meta.url).href,
    zod: import.meta.resolve('zod'),
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = context.parentURL?.startsWith(base) ? ours[specifier] : undefined;
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

/** Puts the folder's packs into the registry, and with `watching` again whenever a file changes. */
export async function useOwnPacks(
  folder: string,
  registry: PackRegistry,
  log: RestLog,
  watching: boolean,
): Promise<() => void> {
  let known: Pack[] = [];
  const load = async () => {
    const files = await loadOwnPacks(folder);
    for (const { name, version } of known) registry.unregister(name, version);
    known = files.flatMap(({ packs }) => packs);
    for (const pack of known) registry.register(pack);
    for (const { file, problem } of files)
      if (problem !== undefined) log.error({ file }, `a pack file cannot be used: ${problem}`);
    log.info({ packs: known.length }, 'own packs loaded');
  };
  await load();
  if (!watching) return () => {};
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      load().catch(() => log.error({}, 'the folder of packs cannot be read'));
    }, RELOAD_PAUSE_MS).unref();
  }).unref();
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
