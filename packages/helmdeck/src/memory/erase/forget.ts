import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { groupId, type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive, type Kind, RUN_KINDS } from '../entry.ts';
import { factMatcher } from '../facts/read-facts.ts';
import { composed, FACT_POLICY } from '../facts/validate-fact.ts';
import { type Memory, walkEntries } from '../memory.ts';
import { type NamespaceRef, StoreConflict } from '../store.ts';
import { forgetAllResources } from './erasable-resources.ts';

/** What to forget, parsed once for REST, packs and the CLI. */
export type Scope =
  | { type: 'all' | 'facts' | 'packs' | 'pipelines' | 'cache' | 'erase' }
  | { type: 'category' | 'tag' | 'prefix' | 'pack' | 'pipeline' | 'key' | 'cache-of'; name: string }
  /** One fact, and never an audit row that has such a key; only `DELETE /facts/{key}` means this. */
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
    // Keys, tags and prefixes are kept composed, so the same text typed another way must find them.
    const name = composed(input.slice(colon + 1), FACT_POLICY.maxKeyBytes);
    if (colon > 0 && type && Object.hasOwn(NAMED, input.slice(0, colon)) && name) return { type, name };
  }
  const what = input === undefined ? 'scope is required' : 'Unknown scope';
  throw new AppError('invalid_input', `${what}; valid: ${SCOPE_FORMS.join(', ')}.`, {
    reason: input === undefined ? 'missing_scope' : 'unknown_scope',
  });
}

/** A scope as it may stand in a log: the form, not the name in it. */
export function scopeForm(scope: Scope): string {
  return scope.type === 'cache-of' ? 'cache:' : 'name' in scope ? `${scope.type}:` : scope.type;
}

const CHUNK_ROWS = 200;

/** Deletes what the scope names from the caller's memory; returns how many entries went. `erase` is `eraseMemory`. */
export async function forget(memory: Memory, scope: Scope): Promise<number> {
  await memory.pending.drain(memory.directory.idOf(memory.caller));
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return 0;
  memory.limits.takeWrites(keys.ns, 1);
  const deleted = await forgetUnlessGone(memory, keys, scope);
  if (deleted > 0) {
    const key = scope.type === 'key' || scope.type === 'fact' ? scope.name : undefined;
    const event = { type: 'forget', key, scope: scopeForm(scope), deleted, atMs: memory.now() } as const;
    memory.changes.emit(keys.ns, event);
  }
  return deleted;
}

async function forgetUnlessGone(memory: Memory, keys: NamespaceKeys, scope: Scope): Promise<number> {
  try {
    let deleted = await forgetIn(memory, keys, scope);
    if (scope.type === 'all') deleted += await forgetAllResources(memory.erasable(), memory.caller);
    // Answers kept for repeated requests name what was forgotten; they go uncounted.
    if (scope.type === 'all' || scope.type === 'facts')
      await forgetWhere(memory, keys, { kinds: ['idempotency'] });
    return deleted;
  } catch (thrown) {
    if (!(thrown instanceof StoreConflict && thrown.kind === 'gone')) throw thrown;
    memory.directory.forgetKeys(keys.ns);
    return 0; // erased meanwhile: nothing is left to forget
  }
}

function forgetIn(memory: Memory, keys: NamespaceKeys, scope: Scope): Promise<number> {
  switch (scope.type) {
    case 'all':
      return forgetWhere(memory, keys, { kinds: ['fact', 'note', ...RUN_KINDS] });
    case 'facts':
      return forgetWhere(memory, keys, { kinds: ['fact'] });
    case 'packs':
      return forgetWhere(memory, keys, { kinds: ['audit.pack'] });
    case 'pipelines':
      return forgetWhere(memory, keys, { kinds: ['audit.pipeline'] });
    case 'cache':
      return forgetCached(memory, keys);
    case 'category':
      return forgetWhere(memory, keys, { kinds: ['fact'], group: groupId(keys, 'category', scope.name) });
    case 'pack':
      return forgetWhere(memory, keys, { kinds: ['audit.pack'], group: groupId(keys, 'pack', scope.name) });
    case 'pipeline':
      return forgetWhere(memory, keys, {
        kinds: ['audit.pipeline'],
        group: groupId(keys, 'pipeline', scope.name),
      });
    case 'cache-of':
      return forgetCached(memory, keys, groupId(keys, 'pack', scope.name));
    case 'tag':
      return forgetMatching(memory, keys, { tag: scope.name });
    case 'prefix':
      return forgetMatching(memory, keys, { prefix: scope.name });
    case 'key':
      return forgetKey(memory, keys, scope.name, ['fact', ...RUN_KINDS]);
    case 'fact':
      return forgetKey(memory, keys, scope.name, ['fact']);
    case 'erase':
      throw new TypeError('erase destroys the namespace: use eraseMemory');
  }
}

/** Results of packs, in the shared cache and in the store, where they were kept before there was one. */
async function forgetCached(memory: Memory, keys: NamespaceKeys, group?: Buffer): Promise<number> {
  const where = { kinds: ['cache'], group } as const;
  const shared = await memory.cache?.open();
  const ref = await shared?.getNamespace(keys.ns);
  const there = shared && ref ? await forgetWhere({ ...memory, store: shared }, ref, where) : 0;
  return there + (await forgetWhere(memory, keys, where));
}

/** Without opening a row, so it also works on rows that no longer open; in chunks, so others are served in between. */
async function forgetWhere(
  memory: Memory,
  ref: NamespaceRef,
  where: { kinds: readonly Kind[]; group?: Buffer },
): Promise<number> {
  const expired = await countExpired(memory, ref, where);
  let deleted = 0;
  for (let chunk = CHUNK_ROWS; chunk === CHUNK_ROWS; await nextTurn()) {
    chunk = (await memory.store.apply(ref, [{ type: 'deleteWhere', ...where, limit: CHUNK_ROWS }])).deleted;
    deleted += chunk;
  }
  return Math.max(0, deleted - expired);
}

/** Expired rows that no sweep has met yet go too, but to the caller they were already gone. */
async function countExpired(
  memory: Memory,
  { ns }: NamespaceRef,
  where: { kinds: readonly Kind[]; group?: Buffer },
): Promise<number> {
  let expired = 0;
  let afterSeq = 0;
  for (let full = true; full; await nextTurn()) {
    const page = await memory.store.scan(ns, { ...where, afterSeq, limit: CHUNK_ROWS });
    expired += page.filter((row) => !isLive(row, memory.now())).length;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    full = page.length === CHUNK_ROWS;
  }
  return expired;
}

/** Oldest first, so that a fact written meanwhile is met again at the end instead of slipping away. */
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

/** Deletes entries that are still as they were read; one that was written again is left to the rest of the walk. */
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

/** At most one entry: the first of these kinds that has the key. */
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
