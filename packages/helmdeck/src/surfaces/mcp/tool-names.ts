import { mayRun } from '../../engine/engine.ts';
import type { Pack } from '../../engine/pack/pack.ts';
import type { PackRegistry } from '../../engine/pack/pack-registry.ts';
import type { Identity } from '../http/auth.ts';

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

/** The tools of a profile. */
interface Toolbox {
  revision: number;
  packs: Pack[];
  /** By every name they may be called by. */
  byName: Map<string, Pack>;
}

/** Made anew only when packs change: every call looks for its tool here. */
const toolboxes = new WeakMap<PackRegistry, Partial<Record<Profile, Toolbox>>>();

function toolboxOf(registry: PackRegistry, profile: Profile): Toolbox {
  const known = toolboxes.get(registry) ?? {};
  const before = known[profile];
  if (before?.revision === registry.revision) return before;
  const toolbox = openToolbox(registry, profile);
  toolboxes.set(registry, { ...known, [profile]: toolbox });
  return toolbox;
}

function openToolbox(registry: PackRegistry, profile: Profile): Toolbox {
  const packs = new Map<string, Pack>();
  for (const name of registry.names()) {
    if (profile === 'memory' && !name.startsWith(MEMORY_FAMILY)) continue;
    if (!packs.has(toolName(name))) packs.set(toolName(name), registry.get(name));
  }
  const byName = new Map(packs);
  // A pack's own name means that pack, also where a tool is called the same.
  for (const pack of packs.values()) byName.set(pack.name, pack);
  return { revision: registry.revision, packs: [...packs.values()], byName };
}

/** The packs of a profile by name; where two would be the same tool, the first name has it. */
export function packsOf(registry: PackRegistry, profile: Profile): readonly Pack[] {
  return toolboxOf(registry, profile).packs;
}

/** The pack behind the name in a call: a tool's name, with `helmdeck__` in front, or the pack's own dotted name. */
export function findPack(registry: PackRegistry, profile: Profile, called: string): Pack | undefined {
  const { byName } = toolboxOf(registry, profile);
  return (
    byName.get(called) ?? (called.startsWith(PREFIX) ? byName.get(called.slice(PREFIX.length)) : undefined)
  );
}
