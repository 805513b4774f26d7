import { mayRun } from '../../../engine/engine.ts';
import type { Pack } from '../../../engine/pack/pack.ts';
import type { PackRegistry } from '../../../engine/pack/pack-registry.ts';
import { AppError } from '../../../errors.ts';
import { closestName } from '../../closest-name.ts';
import type { Identity } from '../../http/auth.ts';

/** `all`: every pack the token may run; `memory`: what a conversation needs of memory, because each schema costs a client context. */
export type Profile = 'all' | 'memory';

/** Memory packs that serve programs rather than conversations. */
const NOT_IN_MEMORY_PROFILE = ['helmdeck.memory_corpus', 'helmdeck.memory_store_many'];

const OWN_FAMILY = 'helmdeck.';
const MEMORY_FAMILY = 'helmdeck.memory_';
export const MAX_SHOWN_NAME_CHARS = 64;
const MAX_NAME_EDITS = 4;
/** Some clients prefix a tool with the name of the server. */
const PREFIX = 'helmdeck__';

/** `helmdeck.memory_store` is the tool `memory_store`, `github.search` is `github_search`. */
export function toolName(packName: string): string {
  const bare = packName.startsWith(OWN_FAMILY) ? packName.slice(OWN_FAMILY.length) : packName;
  return bare.replaceAll('.', '_');
}

/** Where the name of a tool is not what a person would call it. */
const TITLES: Record<string, string> = {
  memory_store: 'Save a fact',
  memory_store_many: 'Save many facts',
  memory_recall: 'Recall facts',
  memory_confirm: 'Confirm a fact',
  memory_forget: 'Forget facts',
  memory_history: 'History of a fact',
};

/** What people see: `memory_store` is "Save a fact", `github_search` is "Github search". */
export function toolTitle(name: string): string {
  if (TITLES[name]) return TITLES[name];
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Memory packs need the same scopes as the memory routes; all others need `packs:run` too. */
export function mayCall(pack: Pack, { scopes }: Identity): boolean {
  const runs = scopes.has('packs:run') || scopes.has('admin') || pack.name.startsWith(MEMORY_FAMILY);
  return runs && mayRun(pack, scopes);
}

/** The tools of a profile, cached for one revision of the pack registry. */
interface ToolTable {
  revision: number;
  packs: Pack[];
  /** By every name that a call may use. */
  byName: Map<string, Pack>;
}

/** Rebuilt only when packs change: every call looks up its tool here. */
const tables = new WeakMap<PackRegistry, Partial<Record<Profile, ToolTable>>>();

function toolTableOf(registry: PackRegistry, profile: Profile): ToolTable {
  const known = tables.get(registry) ?? {};
  const cached = known[profile];
  if (cached?.revision === registry.revision) return cached;
  const table = buildToolTable(registry, profile);
  tables.set(registry, { ...known, [profile]: table });
  return table;
}

function buildToolTable(registry: PackRegistry, profile: Profile): ToolTable {
  const packs = new Map<string, Pack>();
  for (const name of registry.names()) {
    if (profile === 'memory' && !isForConversations(name)) continue;
    if (!packs.has(toolName(name))) packs.set(toolName(name), registry.get(name));
  }
  const byName = new Map(packs);
  // A pack's own name always means that pack, even if a tool has the same name.
  for (const pack of packs.values()) byName.set(pack.name, pack);
  return { revision: registry.revision, packs: [...packs.values()], byName };
}

const isForConversations = (name: string) =>
  name.startsWith(MEMORY_FAMILY) && !NOT_IN_MEMORY_PROFILE.includes(name);

/** The packs of a profile by name; if two map to the same tool name, the first one gets it. */
export function packsOf(registry: PackRegistry, profile: Profile): readonly Pack[] {
  return toolTableOf(registry, profile).packs;
}

/** The tool that a mistyped name probably means. */
export function nearestTool(registry: PackRegistry, profile: Profile, called: string): string | undefined {
  const names = packsOf(registry, profile).map(({ name }) => toolName(name));
  return closestName(called.slice(0, MAX_SHOWN_NAME_CHARS), names, MAX_NAME_EDITS);
}

/** The pack that a call names: by tool name, tool name with the prefix `helmdeck__`, or the pack's own dotted name. */
export function findPack(registry: PackRegistry, profile: Profile, called: string): Pack | undefined {
  const { byName } = toolTableOf(registry, profile);
  return (
    byName.get(called) ?? (called.startsWith(PREFIX) ? byName.get(called.slice(PREFIX.length)) : undefined)
  );
}

/**
 * Lets an OAuth client ask the person for the scopes that a tool needs: it does so on a 403, and not for a failed tool
 * call. Names all scopes of the tool, so that one question is enough.
 */
export function assertToolScopes(
  registry: PackRegistry,
  profile: Profile,
  message: unknown,
  identity: Identity,
): void {
  if (identity.audience === undefined) return;
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (method !== 'tools/call' || typeof params?.name !== 'string') return;
  const pack = findPack(registry, profile, params.name);
  if (!pack || mayCall(pack, identity)) return;
  const scopes = [...(pack.name.startsWith(MEMORY_FAMILY) ? [] : ['packs:run']), ...pack.scopes];
  throw new AppError('insufficient_scope', `The tool needs the scopes ${scopes.join(' ')}.`, { scopes });
}
