import { createHash } from 'node:crypto';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { everyNamespace, isSystem } from '../crypto/namespace-record.ts';
import type { Kind } from '../entry.ts';
import { type InboxCounts, inboxCounts } from '../gate/inbox.ts';
import { QUOTA_KINDS } from '../limits.ts';
import type { Memory, MemoryParts } from '../memory.ts';
import { type Caller, callerName, callerOf, fullCallerName, namespaceOf } from '../namespace.ts';
import { isoMs, isoSeconds } from '../times.ts';
import { type FreshnessView, freshnessView } from './freshness.ts';
import { walkNotes } from './notes.ts';

/** Keys listed per category: enough to show how they are written. */
export const RECENT_KEYS = 5;
const CONTEXT_ENTRIES = 50;

/** The `helmdeck://my-memory` document: what is stored, without values, so that an agent looks before it stores. */
export interface MyMemory {
  scope: string;
  fetched_at: string;
  categories: CategoryOutline[];
  /** How many texts wait for a person; absent if none do. */
  inbox?: InboxCounts;
  note?: string;
}

export interface CategoryOutline {
  name: string;
  count: number;
  /** Newest first, at most `RECENT_KEYS`. */
  recent_keys: string[];
}

/** Counts over all facts. Passed in from recall, which holds them in RAM. */
export interface FactOutline {
  categories: CategoryOutline[];
  /** How many facts expire within `EXPIRING_SOON_SECONDS`. */
  expiringSoon: number;
}

export async function myMemory(memory: Memory, { categories, expiringSoon }: FactOutline): Promise<MyMemory> {
  return {
    scope: memory.scope,
    fetched_at: isoMs(memory.now()),
    categories: categories.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ...(await waiting(memory)),
    ...noteAbout(categories.length, expiringSoon),
  };
}

async function waiting(memory: Memory): Promise<{ inbox?: InboxCounts }> {
  const inbox = await inboxCounts(memory);
  return inbox.proposed + inbox.quarantined === 0 ? {} : { inbox };
}

function noteAbout(categories: number, soon: number): { note?: string } {
  if (categories === 0) return { note: 'Nothing is stored yet.' };
  if (soon === 0) return {};
  const facts = soon === 1 ? '1 fact expires' : `${soon} facts expire`;
  return { note: `${facts} within a week; store or renew what should stay.` };
}

/** The newest entries of a memory, without values. */
export interface ContextView {
  namespace: string;
  entries: Record<string, ContextEntry[]>;
  /** How many texts wait for a person; absent if none do. */
  inbox?: InboxCounts;
}

export interface ContextEntry extends Partial<FreshnessView> {
  key: string;
  category: string;
  tags: string[];
  fingerprint: string;
  created_at: string;
  updated_at: string;
}

/** The 50 newest entries of a caller, or of one session, by category and without values. */
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
      ...(entry.kind === 'fact' ? freshnessView(memory, entry) : {}),
    });
  }
  return {
    namespace: memory.seat?.slug ?? callerName(memory.caller),
    entries: Object.fromEntries(entries),
    ...(session === undefined ? await waiting(memory) : {}),
  };
}

/** Counts of facts by category, tag, project, source and next key segment under a prefix; the largest first. */
export interface Facets {
  /** How many facts match the whole filter. */
  total: number;
  categories: NamedCount[];
  tags: NamedCount[];
  projects: NamedCount[];
  sources: NamedCount[];
  prefixes: NamedCount[];
}

export interface NamedCount {
  name: string;
  count: number;
}

/** Progress of embedding the facts. */
export interface EmbeddingsState {
  model: string;
  state: 'idle' | 'working' | 'backing_off';
  /** Facts that have a vector. */
  indexed: number;
  /** Facts that have no vector yet. */
  waiting: number;
  /** Why embedding is stuck, and what to do about it. */
  problem?: string;
}

/** Oldest fact, next expiry and embedding progress. Passed in from recall. */
export interface FactSpan {
  oldestMs: number | undefined;
  nextExpiryMs: number | undefined;
  embeddings: EmbeddingsState | null;
}

/** The usage of a caller's two namespaces, by kind. */
async function usageOf({ directory, store, caller, now }: Memory) {
  const [main, runs] = [await directory.find(caller), await directory.runs.find(caller)];
  return {
    main: main ? await store.usage(now(), main.ns) : [],
    runs: runs ? await store.usage(now(), runs.ns) : [],
    namespaces: [main, runs].filter((keys) => keys !== undefined),
  };
}

/** Counts, sizes, limits and health of one caller's memory. */
export async function memoryStats(memory: Memory, span: FactSpan, options: { checkRows: boolean }) {
  const { directory, limits, integrity } = memory;
  const { quotaFacts, quotaBytes } = limits.quotaOf(directory.idOf(memory.caller));
  const { main, runs, namespaces } = await usageOf(memory);
  const counts: Partial<Record<Kind, number>> = {};
  const bytesByKind: Partial<Record<Kind, number>> = {};
  for (const { kind, rows, bytes } of [...main, ...runs]) {
    counts[kind] = (counts[kind] ?? 0) + rows;
    bytesByKind[kind] = (bytesByKind[kind] ?? 0) + bytes;
  }
  const bytesOf = (usages: typeof main) => usages.reduce((sum, { bytes }) => sum + bytes, 0);
  let unreadable = 0;
  if (options.checkRows) for (const keys of namespaces) unreadable += await integrity.unreadableRows(keys);
  return {
    scope: memory.scope,
    counts,
    bytes: bytesOf(main) + bytesOf(runs),
    bytes_by_kind: bytesByKind,
    quota: {
      facts: {
        used: QUOTA_KINDS.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0),
        limit: quotaFacts ?? null,
      },
      // Run records have a limit of their own, by number, and do not count here.
      bytes: { used: bytesOf(main), limit: quotaBytes ?? null },
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
  caller: Caller;
  count: number;
}

const COUNTED: readonly Kind[] = ['fact', 'note', 'audit.pack', 'audit.pipeline'];

/** How many live entries one caller has. */
export async function entryCount(memory: Memory): Promise<number> {
  const { main, runs } = await usageOf(memory);
  return [...main, ...runs].reduce((sum, { kind, rows }) => sum + (COUNTED.includes(kind) ? rows : 0), 0);
}

/** Callers of one tenant by live entries, most entries first. */
export async function callerCounts(parts: MemoryParts, tenant: string | undefined): Promise<CallerCount[]> {
  const rowsOf = new Map<string, number>();
  for (const usage of await parts.store.usage(parts.now())) {
    const ns = namespaceMapKey(usage.ns);
    if (COUNTED.includes(usage.kind)) rowsOf.set(ns, (rowsOf.get(ns) ?? 0) + usage.rows);
  }
  // By caller, not by namespace: run records are in one of their own.
  const counts = new Map<string, number>();
  for await (const record of everyNamespace(parts.store)) {
    const rows = rowsOf.get(namespaceMapKey(record.ns)) ?? 0;
    if (isSystem(record) || rows === 0) continue;
    const caller = await parts.directory.callerOf(record.ns).catch(() => undefined);
    if (!caller || caller.space !== undefined || caller.tenant !== tenant) continue;
    const encoded = namespaceOf(caller).toString('latin1');
    counts.set(encoded, (counts.get(encoded) ?? 0) + rows);
  }
  return [...counts]
    .map(([encoded, count]) => ({ caller: callerOf(Buffer.from(encoded, 'latin1')), count }))
    .sort((a, b) => b.count - a.count || (fullCallerName(a.caller) < fullCallerName(b.caller) ? -1 : 1));
}

/** When the newest of a caller's facts and notes was written; undefined if there are none. */
export async function lastWriteMs({ store, directory }: MemoryParts, caller: Caller) {
  const newest = { kinds: ['fact', 'note'], newestFirst: true, limit: 1 } as const;
  return (await store.scan(directory.idOf(caller), newest))[0]?.updatedMs;
}
