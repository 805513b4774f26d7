import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { groupId, type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive, type Kind, RUN_KINDS } from '../entry.ts';
import { factMatcher } from '../facts/read-facts.ts';
import { composed, FACT_POLICY } from '../facts/validate-fact.ts';
import { type FactScope, forgetProposals } from '../gate/forget-proposals.ts';
import { type Memory, walkEntries } from '../memory.ts';
import { type NamespaceRef, StoreConflict } from '../store.ts';
import { forgetAllResources } from './erasable-resources.ts';

/** What to forget. Parsed in one place for REST, packs and the CLI. */
export type Scope =
  | { type: 'all' | 'facts' | 'packs' | 'pipelines' | 'cache' | 'erase' }
  | { type: 'category' | 'tag' | 'prefix' | 'pack' | 'pipeline' | 'key' | 'cache-of'; name: string }
  /** One fact and never a run record with that key; only `DELETE /facts/{key}` uses this. */
  | { type: 'fact'; name: string };

export const SCOPE_FORMS = [
  'all',
  'facts',
  'category:<c>',
  'tag:<t>',
  'prefix:<p>',
  'packs',
  'pipelines',
  'pack:<id>',
  'pipeline:<id>',
  'key:<exact-key>',
  'cache',
  'cache:<pack>',
  'erase',
] as const;

const PLAIN = ['all', 'facts', 'packs', 'pipelines', 'cache', 'erase'] as const;
const NAMED = {
  category: 'category',
  tag: 'tag',
  prefix: 'prefix',
  pack: 'pack',
  pipeline: 'pipeline',
  key: 'key',
  cache: 'cache-of',
} as const;

export function parseScope(input: unknown): Scope {
  if (typeof input === 'string') {
    const plain = PLAIN.find((name) => name === input);
    if (plain) return { type: plain };
    const colon = input.indexOf(':');
    const type = NAMED[input.slice(0, colon) as keyof typeof NAMED];
    // Keys, tags and prefixes are stored in NFC, so the scope must be normalised to match them.
    const name = composed(input.slice(colon + 1), FACT_POLICY.maxKeyBytes);
    if (colon > 0 && type && Object.hasOwn(NAMED, input.slice(0, colon)) && name) return { type, name };
  }
  const what = input === undefined ? 'scope is required' : 'Unknown scope';
  throw new AppError('invalid_input', `${what}; valid: ${SCOPE_FORMS.join(', ')}.`, {
    reason: input === undefined ? 'missing_scope' : 'unknown_scope',
  });
}

/** A scope as it may appear in a log: its form without the name. */
export function scopeForm(scope: Scope): string {
  return scope.type === 'cache-of' ? 'cache:' : 'name' in scope ? `${scope.type}:` : scope.type;
}

const CHUNK_ROWS = 200;

/** Deletes what the scope names from the caller's memory; returns how many entries were deleted. `erase` is `eraseMemory`. */
export async function forget(memory: Memory, scope: Scope): Promise<number> {
  const { caller, changes, directory, limits, pending } = memory;
  const ns = directory.idOf(caller);
  await pending.drain(ns);
  const keys = await directory.find(caller);
  if (!keys && !(await directory.runs.find(caller))) return 0;
  limits.takeWrites(ns, 1);
  const deleted = await forgetUnlessGone(memory, keys, scope);
  if (deleted > 0) {
    const key = scope.type === 'key' || scope.type === 'fact' ? scope.name : undefined;
    changes.emit(ns, { type: 'forget', key, scope: scopeForm(scope), deleted, atMs: memory.now() });
  }
  return deleted;
}

async function forgetUnlessGone(
  memory: Memory,
  keys: NamespaceKeys | undefined,
  scope: Scope,
): Promise<number> {
  const { directory, caller } = memory;
  try {
    if (FACT_SCOPES.includes(scope.type)) await memory.recallCounts.read(caller);
    let deleted = keys ? await forgetIn(memory, keys, scope) : 0;
    // A key names at most one entry, and a fact before a run record.
    if (scope.type !== 'key' || deleted === 0) deleted += await forgetRuns(memory, scope);
    if (scope.type === 'all') deleted += await forgetAllResources(memory.erasable(), memory.caller);
    // Cached responses for idempotency keys name what was forgotten. They are deleted too, but not counted.
    // So do the recall log and the counters of recalls.
    if (keys && isFactScope(scope) && (await forgetProposals(memory, keys, scope)) > 0)
      memory.changes.emit(keys.ns, { type: 'proposal', atMs: memory.now() });
    // Decisions about what ran say which packs ran.
    if (keys && (scope.type === 'all' || scope.type === 'packs'))
      await forgetWhere(memory, keys, { kinds: ['procedure'] });
    if (scope.type === 'all' || scope.type === 'facts') {
      if (keys) await forgetWhere(memory, keys, { kinds: ['idempotency'] });
      const runs = await directory.runs.find(caller);
      if (runs) await forgetWhere(memory, runs, { kinds: ['recall', 'recall-count'] });
    }
    if (FACT_SCOPES.includes(scope.type)) await memory.recallCounts.flush(caller);
    return deleted;
  } catch (thrown) {
    if (!(thrown instanceof StoreConflict && thrown.kind === 'gone')) throw thrown;
    const ns = directory.idOf(caller);
    directory.forgetKeys(ns);
    directory.forgetKeys(directory.runs.idOf(ns));
    return 0; // erased concurrently: nothing is left to forget
  }
}

const isFactScope = (scope: Scope): scope is FactScope & Scope => FACT_SCOPES.includes(scope.type);

/** Deletes from the caller's main namespace everything the scope names but run records. */
async function forgetIn(memory: Memory, keys: NamespaceKeys, scope: Scope): Promise<number> {
  switch (scope.type) {
    case 'all':
      return forgetWhere(memory, keys, { kinds: ['fact', 'note'] });
    case 'facts':
      return forgetWhere(memory, keys, { kinds: ['fact'] });
    case 'packs':
    case 'pipelines':
    case 'pack':
    case 'pipeline':
      return 0;
    case 'cache':
      return forgetCached(memory, keys);
    case 'category':
      return forgetWhere(memory, keys, { kinds: ['fact'], group: groupId(keys, 'category', scope.name) });
    case 'cache-of':
      return forgetCached(memory, keys, groupId(keys, 'pack', scope.name));
    case 'tag':
      return forgetMatching(memory, keys, { tag: scope.name });
    case 'prefix':
      return forgetMatching(memory, keys, { prefix: scope.name });
    case 'key':
    case 'fact':
      return forgetKey(memory, keys, scope.name, ['fact']);
    case 'erase':
      throw new TypeError('erase destroys the namespace: use eraseMemory');
  }
}

/** Deletes the run records that the scope names. Those of an older version may still be in the main namespace. */
async function forgetRuns(memory: Memory, scope: Scope): Promise<number> {
  if (!RUN_SCOPES.includes(scope.type)) return 0;
  const { directory, caller, pending } = memory;
  const main = await directory.find(caller);
  let deleted = main ? await forgetRunsIn(memory, main, scope) : 0;
  // After this, rows that were being moved out of the main namespace have arrived.
  await pending.drain(directory.idOf(caller));
  const runs = await directory.runs.find(caller);
  if (runs) deleted += await forgetRunsIn(memory, runs, scope);
  return scope.type === 'key' ? Math.min(1, deleted) : deleted;
}

const FACT_SCOPES: readonly Scope['type'][] = ['all', 'facts', 'category', 'tag', 'prefix', 'key', 'fact'];
const PACK_KINDS: readonly Kind[] = ['audit.pack', 'audit.plan'];
const RUN_SCOPES: readonly Scope['type'][] = ['all', 'packs', 'pipelines', 'pack', 'pipeline', 'key'];

async function forgetRunsIn(memory: Memory, keys: NamespaceKeys, scope: Scope): Promise<number> {
  switch (scope.type) {
    case 'all':
      return forgetWhere(memory, keys, { kinds: RUN_KINDS });
    case 'packs':
      return forgetWhere(memory, keys, { kinds: PACK_KINDS });
    case 'pipelines':
      return forgetWhere(memory, keys, { kinds: ['audit.pipeline'] });
    case 'pack':
      return forgetWhere(memory, keys, { kinds: PACK_KINDS, group: groupId(keys, 'pack', scope.name) });
    case 'pipeline':
      return forgetWhere(memory, keys, {
        kinds: ['audit.pipeline'],
        group: groupId(keys, 'pipeline', scope.name),
      });
    case 'key':
      return forgetKey(memory, keys, scope.name, RUN_KINDS);
    default:
      return 0;
  }
}

/** Deletes cached pack results from the shared cache, and from the store, which holds those from before it was configured. */
async function forgetCached(memory: Memory, keys: NamespaceKeys, group?: Buffer): Promise<number> {
  const where = { kinds: ['cache'], group } as const;
  const shared = await memory.cache?.open();
  const ref = await shared?.getNamespace(keys.ns);
  const inShared = shared && ref ? await forgetWhere({ ...memory, store: shared }, ref, where) : 0;
  return inShared + (await forgetWhere(memory, keys, where));
}

/** Deletes without decrypting, so it also removes unreadable rows; in chunks, so other requests are served in between. */
async function forgetWhere(
  memory: Memory,
  ref: NamespaceRef,
  where: { kinds: readonly Kind[]; group?: Buffer },
): Promise<number> {
  const expired = await countExpired(memory, ref, where);
  let deleted = 0;
  for (let chunk = CHUNK_ROWS; chunk === CHUNK_ROWS; await yieldToEventLoop()) {
    chunk = (await memory.store.apply(ref, [{ type: 'deleteWhere', ...where, limit: CHUNK_ROWS }])).deleted;
    deleted += chunk;
  }
  return Math.max(0, deleted - expired);
}

/** Counts expired rows that are not swept yet: they are deleted too, but the caller could no longer see them. */
async function countExpired(
  memory: Memory,
  { ns }: NamespaceRef,
  where: { kinds: readonly Kind[]; group?: Buffer },
): Promise<number> {
  let expired = 0;
  let afterSeq = 0;
  for (let full = true; full; await yieldToEventLoop()) {
    const page = await memory.store.scan(ns, { ...where, afterSeq, limit: CHUNK_ROWS });
    expired += page.filter((row) => !isLive(row, memory.now())).length;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    full = page.length === CHUNK_ROWS;
  }
  return expired;
}

/** Walks oldest first, so that a fact written during the walk comes up again at its end instead of being missed. */
async function forgetMatching(
  memory: Memory,
  keys: NamespaceKeys,
  filter: { tag?: string; prefix?: string },
): Promise<number> {
  const matches = factMatcher(memory, filter);
  let deleted = 0;
  let found: Entry[] = [];
  const flush = async () => {
    deleted += await deleteUnchanged(memory, keys, found);
    found = [];
  };
  for await (const entry of walkEntries(memory, keys, { kinds: ['fact'] })) {
    if (matches(entry)) found.push(entry);
    if (found.length === CHUNK_ROWS) await flush();
  }
  await flush();
  return deleted;
}

/** Deletes entries that have not changed since they were read; a changed one comes up again later in the walk. */
async function deleteUnchanged(memory: Memory, keys: NamespaceKeys, entries: Entry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const ops = entries.map(({ id, rev }) => ({ type: 'delete', id, ifRev: rev }) as const);
  try {
    return (await memory.store.apply(keys, ops)).deleted;
  } catch (thrown) {
    if (!(thrown instanceof StoreConflict && thrown.kind === 'rev')) throw thrown;
    if (entries.length === 1) return 0;
    const half = Math.ceil(entries.length / 2);
    const first = await deleteUnchanged(memory, keys, entries.slice(0, half));
    return first + (await deleteUnchanged(memory, keys, entries.slice(half)));
  }
}

/** Deletes at most one entry: the first of these kinds that has the key. */
async function forgetKey(
  memory: Memory,
  keys: NamespaceKeys,
  key: string,
  kinds: readonly Kind[],
): Promise<number> {
  for (const kind of kinds) {
    const id = rowId(keys, kind, key);
    const row = await memory.store.get(keys.ns, id);
    if (!row) continue;
    const { deleted } = await memory.store.apply(keys, [{ type: 'delete', id }]);
    if (deleted > 0 && isLive(row, memory.now())) return deleted;
  }
  return 0;
}
