import type { Source } from '../../memory/entry.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import type { Documents } from './documents.ts';
import { ints } from './paged-array.ts';

/**
 * Keys and sources of an image's facts, to list and count them without reading their texts again. Made when it is first
 * asked for: an image that is only searched does without.
 */
export interface Catalogue {
  /** Takes in the documents that came since the last time, in turns with other work. */
  complete(): Promise<void>;
  /** The key of a fact; empty for one that is gone, and for what is not a fact. */
  key(document: number): string;
  source(document: number): Pick<Source, 'surface' | 'client'>;
  remove(document: number): void;
  readonly bytes: number;
}

const UNKNOWN: Pick<Source, 'surface' | 'client'> = { surface: 'unknown' };
/** What a key costs beside its letters. */
const KEY_BYTES = 32;

export function createCatalogue(documents: Documents): Catalogue {
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

  function take(document: number): void {
    const shown = documents.kind(document) === 'fact' && !documents.isGone(document);
    const { key, source } = shown ? documents.content(document) : { key: '', source: undefined };
    keys.push(key);
    sourceIds.push(source ? idOf(source) : 0);
    keyBytes += KEY_BYTES + key.length;
  }

  return {
    async complete() {
      const nextTurn = createYielder();
      // Several may be at it: each takes the next one.
      while (keys.length < documents.length) {
        take(keys.length);
        const turn = nextTurn();
        if (turn) await turn;
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
