import { watch } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pack } from '../engine/pack/pack.ts';
import type { PackRegistry } from '../engine/pack/pack-registry.ts';
import { runContext } from '../engine/run-context.ts';
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
export async function loadOwnPacks(configured: string): Promise<OwnPackFile[]> {
  let folder: string;
  let names: string[];
  try {
    folder = await realpath(configured); // modules are known by where they really are
    names = await readdir(folder);
  } catch (thrown) {
    throw new AppError('invalid_input', 'HELMDECK_PACKS_DIR cannot be read.', {
      reason: 'configuration',
      hint: 'Make the folder, or correct the setting.',
      cause: thrown,
    });
  }
  shareOurModules(folder);
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
  // A changed file has another address, so that it is loaded again. What it leaves to fail later is its own failure.
  const address = `${pathToFileURL(path).href}?v=${mtimeMs}`;
  const load = () => import(address) as Promise<Record<string, unknown>>;
  const exports = await runContext.run({ pack: basename(path), runId: 'load' }, load);
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
  /** Built-in packs that one of the folder stands in for, until it is gone. */
  const replaced = new Map<string, Pack>();
  const load = async () => {
    const files = await loadOwnPacks(folder);
    for (const { name, version } of known) registry.unregister(name, version);
    for (const pack of replaced.values()) registry.register(pack);
    known = files.flatMap(({ packs }) => packs);
    const mine = new Set<string>();
    for (const pack of known) {
      const { name, version } = pack;
      const id = `${name} ${version}`;
      if (mine.has(id)) log.error({ pack: name }, 'two files hold the same pack in the same version');
      else if (registry.has(name, version)) replaced.set(id, registry.get(name, version));
      mine.add(id);
      registry.register(pack);
    }
    for (const { file, problem } of files)
      if (problem !== undefined) log.error({ file }, `a pack file cannot be used: ${problem}`);
    log.info({ packs: known.length }, 'own packs loaded');
  };
  await load();
  if (!watching) return () => {};
  let loading = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // One after another, so that what was read last is what counts.
      loading = loading.then(load).catch(() => log.error({}, 'the folder of packs cannot be read'));
    }, RELOAD_PAUSE_MS).unref();
  }).unref();
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
