import { createHash } from 'node:crypto';
import { everyNamespace, isSystem } from '../crypto/namespace-record.ts';
import type { Kind } from '../entry.ts';
import type { Memory, MemoryParts } from '../memory.ts';
import { callerName } from '../namespace.ts';
import { walkNotes } from './notes.ts';
import { isoMs, isoSeconds } from './remember.ts';

/** Keys told of each category: enough to show how they are written. */
export const RECENT_KEYS = 5;
export const SOON_SECONDS = 7 * 86_400;
const CONTEXT_ENTRIES = 50;

/** The `helmdeck://my-memory` document: what exists, without values, so that an agent peeks before it stores. */
export interface MyMemory {
  scope: string;
  fetched_at: string;
  categories: CategoryOutline[];
  note?: string;
}

export interface CategoryOutline {
  name: string;
  count: number;
  /** The newest first, `RECENT_KEYS` at most. */
  recent_keys: string[];
}

/** What whoever holds all facts in memory knows of their keys; handed in, because this room does not. */
export interface FactOutline {
  categories: CategoryOutline[];
  /** How many facts expire within `SOON_SECONDS`. */
  expiringSoon: number;
}

export function myMemory(memory: Memory, { categories, expiringSoon }: FactOutline): MyMemory {
  return {
    scope: memory.scope,
    fetched_at: isoMs(memory.now()),
    categories: categories.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...noteAbout(categories.length, expiringSoon),
  };
}

function noteAbout(categories: number, soon: number): { note?: string } {
  if (categories === 0) return { note: 'Nothing is stored yet.' };
  if (soon === 0) return {};
  const facts = soon === 1 ? '1 fact expires' : `${soon} facts expire`;
  return { note: `${facts} within a week; store or renew what should stay.` };
}

/** What a memory holds, newest first and without values. */
export interface ContextView {
  namespace: string;
  entries: Record<string, ContextEntry[]>;
}

export interface ContextEntry {
  key: string;
  category: string;
  tags: string[];
  fingerprint: string;
  created_at: string;
  updated_at: string;
}

/** The 50 newest entries by category, without values: of the caller, or of one session. */
export async function memoryContext(memory: Memory, session?: string): Promise<ContextView> {
  const entries = new Map<string, ContextEntry[]>(); // a category may be called `constructor`
  let count = 0;
  for await (const entry of walkNotes(memory, session)) {
    if (++count > CONTEXT_ENTRIES) break;
    const category = entry.category ?? 'uncategorized';
    const inCategory = entries.get(category) ?? [];
    entries.set(category, inCategory);
    inCategory.push({
      key: entry.key,
      category,
      tags: entry.tags ?? [],
      fingerprint: createHash('sha256').update(entry.value).digest('hex').slice(0, 16),
      created_at: isoMs(entry.createdMs),
      updated_at: isoMs(entry.updatedMs),
    });
  }
  return { namespace: callerName(memory.caller), entries: Object.fromEntries(entries) };
}

/** How many facts there are by category, tag, source and next key segment under a prefix; the most first. */
export interface Facets {
  categories: NamedCount[];
  tags: NamedCount[];
  sources: NamedCount[];
  prefixes: NamedCount[];
}

export interface NamedCount {
  name: string;
  count: number;
}

/** Whether and how far facts can be found by meaning. */
export interface EmbeddingsState {
  model: string;
  state: 'idle' | 'working' | 'backing_off';
  /** Facts that have their vector. */
  indexed: number;
  /** Facts that have none yet. */
  waiting: number;
  /** Why it does not go on, and what to do about it. */
  problem?: string;
}

/** How far facts reach in time, and by meaning; handed in like their outline. */
export interface FactSpan {
  oldestMs: number | undefined;
  nextExpiryMs: number | undefined;
  embeddings: EmbeddingsState | null;
}

/** Counts, sizes, limits and health of one caller's memory. */
export async function memoryStats(memory: Memory, span: FactSpan, options: { checkRows: boolean }) {
  const { directory, limits, store, now, integrity } = memory;
  const keys = await directory.find(memory.caller);
  const counts: Partial<Record<Kind, number>> = {};
  let bytes = 0;
  for (const usage of keys ? await store.usage(now(), keys.ns) : []) {
    counts[usage.kind] = usage.rows;
    bytes += usage.bytes;
  }
  const unreadable = keys && options.checkRows ? await integrity.unreadableRows(keys) : 0;
  return {
    scope: memory.scope,
    counts,
    bytes,
    quota: {
      facts: { used: counts.fact ?? 0, limit: limits.options.quotaFacts ?? null },
      bytes: { used: bytes, limit: limits.options.quotaBytes ?? null },
    },
    unreadable_rows: options.checkRows ? unreadable : null,
    oldest: span.oldestMs === undefined ? null : isoMs(span.oldestMs),
    next_expiry: span.nextExpiryMs === undefined ? null : isoSeconds(span.nextExpiryMs),
    embeddings: span.embeddings,
    key_id: directory.keyId,
    key_ephemeral: directory.ephemeral,
    rotation: { ...directory.rotation },
  };
}

export interface CallerCount {
  namespace: string;
  count: number;
}

const COUNTED: readonly Kind[] = ['fact', 'note', 'audit.pack', 'audit.pipeline'];

/** How many live entries one caller has. */
export async function entryCount(memory: Memory): Promise<number> {
  const keys = await memory.directory.find(memory.caller);
  const usage = keys ? await memory.store.usage(memory.now(), keys.ns) : [];
  return usage.reduce((sum, { kind, rows }) => sum + (COUNTED.includes(kind) ? rows : 0), 0);
}

/** Callers of one tenant by live entries, busiest first. */
export async function callerCounts(parts: MemoryParts, tenant: string | undefined): Promise<CallerCount[]> {
  const counts = new Map<string, number>();
  for (const usage of await parts.store.usage(parts.now())) {
    const ns = Buffer.from(usage.ns).toString('hex');
    if (COUNTED.includes(usage.kind)) counts.set(ns, (counts.get(ns) ?? 0) + usage.rows);
  }
  const callers: CallerCount[] = [];
  for await (const record of everyNamespace(parts.store)) {
    const count = counts.get(Buffer.from(record.ns).toString('hex')) ?? 0;
    if (isSystem(record) || count === 0) continue;
    const caller = await parts.directory.callerOf(record.ns).catch(() => undefined);
    if (caller && caller.tenant === tenant) callers.push({ namespace: callerName(caller), count });
  }
  return callers.sort((a, b) => b.count - a.count || (a.namespace < b.namespace ? -1 : 1));
}
