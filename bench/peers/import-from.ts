import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the installer writes beside `node_modules`: a module there resolves names as its packages do. */
export const LOADER = { name: 'load.mjs', text: 'export const load = (name) => import(name);\n' };

/** Imports a package from the folder where it is installed. */
export async function importFrom(installed: string, name: string): Promise<Record<string, unknown>> {
  const loader = (await import(pathToFileURL(join(installed, LOADER.name)).href)) as {
    load(name: string): Promise<Record<string, unknown>>;
  };
  return loader.load(name);
}
