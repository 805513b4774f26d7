import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A Lua script and the SHA-1 by which Redis caches it. */
export interface RedisScript {
  source: string;
  sha1: string;
}

/** The scripts in `lua/`, read once when this module is loaded. */
export const scripts = {
  apply: loadScript('apply.lua'),
  scan: loadScript('scan.lua'),
  usage: loadScript('usage.lua'),
  createNamespace: loadScript('create-namespace.lua'),
  replaceNamespace: loadScript('replace-namespace.lua'),
  listNamespaces: loadScript('list-namespaces.lua'),
  dropNamespace: loadScript('drop-namespace.lua'),
  removeDropped: loadScript('remove-dropped.lua'),
  pendingWork: loadScript('pending-work.lua'),
  sweep: loadScript('sweep.lua'),
  acquireLease: loadScript('acquire-lease.lua'),
  releaseLease: loadScript('release-lease.lua'),
};

/** Reads a script; a line `-- include other.lua` is replaced with the text of that file. */
function loadScript(name: string): RedisScript {
  const source = readLua(name).replace(/^-- include (\S+)$/gm, (_, included: string) => readLua(included));
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

function readLua(name: string): string {
  return readFileSync(new URL(`lua/${name}`, import.meta.url), 'utf8');
}
