import type { Source } from '../../memory/entry.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import type { Documents } from './documents.ts';
import { ints } from './paged-array.ts';

/**
 * The keys and sources of an image's facts as columns, so that listing and counting need not parse their texts again.
 * Filled on first use: an image that is only searched never pays for it.
 */
export interface KeySourceColumns {
  /** Adds the documents that arrived since the last call; yields to the event loop. */
  complete(): Promise<void>;
  /** The key of a fact; empty for a removed document and for one that is not a fact. */
  key(document: number): string;
  source(document: number): Pick<Source, 'surface' | 'client'>;
  remove(document: number): void;
  readonly bytes: number;
}

const UNKNOWN: Pick<Source, 'surface' | 'client'> = { surface: 'unknown' };
/** Estimated heap overhead of a string. */
const STRING_OVERHEAD_BYTES = 32;

export function createKeySourceColumns(documents: Documents): KeySourceColumns {
  const keys: string[] = [];
  const sourceIds = ints();
  const sources: Pick<Source, 'surface' | 'client'>[] = [UNKNOWN];
  const idBySource = new Map<string, number>();
  let keyBytes = 0;

  function idOf({ surface, client }: Pick<Source, 'surface' | 'client'>): number {
    const name = `${surface} ${client ?? ''}`;
    let id = idBySource.get(name);
    if (id === undefined) {
      id = sources.push({ surface, client }) - 1;
      idBySource.set(name, id);
    }
    return id;
  }

  function addDocument(document: number): void {
    const isFact = documents.kind(document) === 'fact' && !documents.isGone(document);
    const { key, source } = isFact ? documents.content(document) : { key: '', source: undefined };
    keys.push(key);
    sourceIds.push(source ? idOf(source) : 0);
    keyBytes += STRING_OVERHEAD_BYTES + key.length;
  }

  return {
    async complete() {
      const yieldIfDue = createYielder();
      // Concurrent calls share the work: each adds the next document.
      while (keys.length < documents.length) {
        addDocument(keys.length);
        const pause = yieldIfDue();
        if (pause) await pause;
      }
    },
    key: (document) => keys[document] ?? '',
    source: (document) => sources[sourceIds.get(document)]!,
    remove(document) {
      if (document < keys.length) keys[document] = '';
    },
    get bytes() {
      return keyBytes + sourceIds.bytes;
    },
  };
}
