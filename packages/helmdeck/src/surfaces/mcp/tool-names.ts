import { mayRun } from '../../engine/engine.ts';
import type { Pack } from '../../engine/pack.ts';
import type { PackRegistry } from '../../engine/pack-registry.ts';
import type { Identity } from '../auth.ts';

/** `all`: every pack the token may run; `memory`: the memory packs only, for clients that pay for each schema. */
export type Profile = 'all' | 'memory';

const OWN_FAMILY = 'helmdeck.';
const MEMORY_FAMILY = 'helmdeck.memory_';
/** How clients that put the server's name in front call a tool. */
const PREFIX = 'helmdeck__';

/** `helmdeck.memory_store` is the tool `memory_store`, `github.search` is `github_search`. */
export function toolName(packName: string): string {
  const bare = packName.startsWith(OWN_FAMILY) ? packName.slice(OWN_FAMILY.length) : packName;
  return bare.replaceAll('.', '_');
}

/** `memory_store` is shown as "Memory store". */
export function toolTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Memory packs are the memory routes by another way, and need what those need; all others need `packs:run` too. */
export function mayCall(pack: Pack, { scopes }: Identity): boolean {
  const runs = scopes.has('packs:run') || scopes.has('admin') || pack.name.startsWith(MEMORY_FAMILY);
  return runs && mayRun(pack, scopes);
}

/** The packs of a profile by name; where two would be the same tool, the first name has it. */
export function packsOf(registry: PackRegistry, profile: Profile): Pack[] {
  const names = registry.names().filter((name) => profile === 'all' || name.startsWith(MEMORY_FAMILY));
  const taken = new Set<string>();
  const packs: Pack[] = [];
  for (const name of names) {
    if (taken.has(toolName(name))) continue;
    taken.add(toolName(name));
    packs.push(registry.get(name));
  }
  return packs;
}

/** The pack behind the name in a call: a tool's name, with `helmdeck__` in front, or the pack's own dotted name. */
export function findPack(registry: PackRegistry, profile: Profile, called: string): Pack | undefined {
  const bare = called.startsWith(PREFIX) ? called.slice(PREFIX.length) : called;
  const packs = packsOf(registry, profile);
  return (
    packs.find(({ name }) => name === called || name === bare) ?? packs.find((p) => toolName(p.name) === bare)
  );
}
