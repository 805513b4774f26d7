import type { Entry } from '../../memory/entry.ts';
import {
  deleteNote,
  listEntries,
  NOTE_POLICY,
  type NoteOptions,
  recallEntry,
  storeNote,
} from '../../memory/facts/notes.ts';
import { type ContextView, memoryContext } from '../../memory/facts/overview.ts';
import type { WriteAnswer } from '../../memory/facts/store-answer.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { callerName } from '../../memory/namespace.ts';

/** An entry as a handler sees it. */
export interface PackMemoryEntry {
  readonly kind: 'fact' | 'note';
  readonly key: string;
  readonly value: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly expiresMs: number;
}

/**
 * The caller's memory, as a handler sees it. Outside a session it reads the caller's facts and notes (a note hides a
 * fact of the same key), inside one that session's notes. It writes notes only: facts are written through
 * `helmdeck.memory_store`.
 */
export interface PackMemory {
  /** Whose memory it is, for display. */
  readonly namespace: string;
  /** Stores a note, for 24 hours by default and a year at most. Credentials are rejected. */
  store(key: string, value: string, options?: NoteOptions): Promise<void>;
  recall(key: string): Promise<PackMemoryEntry | undefined>;
  /** Entries whose key begins with the prefix, newest first; 1,000 at most. */
  list(prefix?: string, options?: { limit?: number }): Promise<PackMemoryEntry[]>;
  /** Removes a note; returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /** The 50 newest entries by category, without values. */
  context(): Promise<ContextView>;
  /** A space that the caller was granted; its methods throw `unknown_space` for any other. */
  space(slug: string): PackSpace;
}

/**
 * A space that the caller was granted, as a handler sees it. It holds facts only. The caller's grant and token decide,
 * at each call, whichever pack runs.
 */
export interface PackSpace {
  readonly slug: string;
  recall(key: string): Promise<PackMemoryEntry | undefined>;
  /** Facts whose key begins with the prefix, newest first; 1,000 at most. */
  list(prefix?: string, options?: { limit?: number }): Promise<PackMemoryEntry[]>;
  /** The 50 newest facts by category, without values. */
  context(): Promise<ContextView>;
  /** Stores a fact, or proposes it to the writers of the space; returns what became of it. Needs `spaces:write`. */
  store(key: string, value: string, options?: NoteOptions): Promise<WriteAnswer['status']>;
}

/** Without the spaces, which are not the caller's own. */
export type OwnPackMemory = Omit<PackMemory, 'space'>;

export function createPackMemory(memory: Memory, rules: FactRules, session?: string): OwnPackMemory {
  const name = callerName(memory.caller);
  return {
    namespace: session === undefined ? name : `${name}/sessions/${session}`,
    store: (key, value, options) => storeNote(memory, rules, { key, value, options }, session),
    async recall(key) {
      const entry = await recallEntry(memory, key, session);
      return entry && entryView(entry);
    },
    list: async (prefix = '', { limit = NOTE_POLICY.maxListed } = {}) =>
      (await listEntries(memory, prefix, limit, session)).map(entryView),
    delete: (key) => deleteNote(memory, key, session),
    context: () => memoryContext(memory, session),
  };
}

export function entryView(entry: Entry): PackMemoryEntry {
  return {
    kind: entry.kind === 'fact' ? 'fact' : 'note',
    key: entry.key,
    value: entry.value,
    category: entry.category ?? NOTE_POLICY.defaultCategory,
    tags: entry.tags ?? [],
    createdMs: entry.createdMs,
    updatedMs: entry.updatedMs,
    expiresMs: entry.expiresMs ?? 0,
  };
}
