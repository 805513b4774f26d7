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

// Loads the operator's own packs from HELMDECK_PACKS_DIR, and reloads them when a file changes.

/** The packs of one file in HELMDECK_PACKS_DIR, or what is wrong with it. */
export interface UserPackFile {
  file: string;
  packs: Pack[];
  problem?: string;
}

const MODULE = /^(?![._]).*(?<!\.test|\.d)\.(?:ts|mts|js|mjs)$/;
const MANIFEST = /^(?![._]).*\.pack\.json$/;
/** An editor may write a file in several steps. */
const RELOAD_DEBOUNCE_MS = 100;

/** Loads every pack of the operator's folder. A file that fails to load does not affect the others. */
export async function loadUserPacks(configured: string): Promise<UserPackFile[]> {
  let folder: string;
  let names: string[];
  try {
    folder = await realpath(configured); // Node resolves modules by their real path
    names = await readdir(folder);
  } catch (thrown) {
    throw new AppError('invalid_input', 'HELMDECK_PACKS_DIR cannot be read.', {
      reason: 'configuration',
      hint: 'Create the folder, or correct the setting.',
      cause: thrown,
    });
  }
  provideServerModules(folder);
  const files = names.filter((name) => MODULE.test(name) || MANIFEST.test(name)).sort();
  return Promise.all(files.map((file) => loadFile(folder, file)));
}

async function loadFile(folder: string, file: string): Promise<UserPackFile> {
  try {
    const packs = MANIFEST.test(file)
      ? [commandPack(JSON.parse(await readFile(join(folder, file), 'utf8')), folder)]
      : await packsOfModule(join(folder, file));
    return packs.length > 0 ? { file, packs } : { file, packs, problem: 'It exports no pack.' };
  } catch (thrown) {
    // The file and the log are both the operator's, so the error text leaks nothing.
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { file, packs: [], problem: file.endsWith('ts') ? withModuleHint(message) : message };
  }
}

/** Explains Node's error for a .ts file that a package.json with "type": "commonjs" makes a CommonJS script. */
function withModuleHint(message: string): string {
  if (!/import statement outside a module|Unexpected token 'export'/.test(message)) return message;
  return `${message}. Rename the file to .mts, or set "type": "module" in package.json.`;
}

async function packsOfModule(path: string): Promise<Pack[]> {
  const { mtimeMs } = await stat(path);
  // The query makes Node load a changed file again. The run context attributes later rejections to the file.
  const url = `${pathToFileURL(path).href}?v=${mtimeMs}`;
  const load = () => import(url) as Promise<Record<string, unknown>>;
  const exports = await runContext.run({ pack: basename(path), runId: 'load' }, load);
  return [...new Set(Object.values(exports))].filter(isPack);
}

function isPack(value: unknown): value is Pack {
  const pack = value as Pack | null;
  return (
    typeof pack === 'object' && typeof pack?.definitionHash === 'string' && typeof pack.handler === 'function'
  );
}

const hookedFolders = new Set<string>();

/** Lets packs import `helmdeck` and `zod` without installing them: they resolve to the server's own. */
function provideServerModules(folder: string): void {
  const base = `${pathToFileURL(folder).href}/`;
  if (hookedFolders.has(base)) return;
  hookedFolders.add(base);
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const serverModules: Record<string, string> = {
    helmdeck: new URL(`../index.${extension}`, import.meta.url).href,
    zod: import.meta.resolve('zod'),
  };
  registerHooks({
    resolve(specifier, context, next) {
      const url = context.parentURL?.startsWith(base) ? serverModules[specifier] : undefined;
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

/** Registers the folder's packs, and with `watching` reloads them whenever a file changes; returns how to stop. */
export async function registerUserPacks(
  folder: string,
  registry: PackRegistry,
  log: RestLog,
  watching: boolean,
): Promise<() => void> {
  let loaded: Pack[] = [];
  /** Built-in packs that a pack of the folder replaces; they return when its file is removed. */
  const replaced = new Map<string, Pack>();
  const load = async () => {
    const files = await loadUserPacks(folder);
    for (const { name, version } of loaded) registry.unregister(name, version);
    for (const pack of replaced.values()) registry.register(pack);
    loaded = files.flatMap(({ packs }) => packs);
    const seen = new Set<string>();
    for (const pack of loaded) {
      const { name, version } = pack;
      const id = `${name} ${version}`;
      if (seen.has(id)) log.error({ pack: name }, 'two files define the same version of a pack');
      else if (registry.has(name, version)) replaced.set(id, registry.get(name, version));
      seen.add(id);
      registry.register(pack);
    }
    for (const { file, problem } of files)
      if (problem !== undefined) log.error({ file }, `a pack file cannot be used: ${problem}`);
    log.info({ packs: loaded.length }, 'user packs loaded');
  };
  await load();
  if (!watching) return () => {};
  let loading = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // One after another, so that the last read wins.
      loading = loading.then(load).catch(() => log.error({}, 'HELMDECK_PACKS_DIR cannot be read'));
    }, RELOAD_DEBOUNCE_MS).unref();
  }).unref();
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
