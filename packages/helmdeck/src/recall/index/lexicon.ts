import { boundedEditDistance } from '../text/edit-distance.ts';
import { ints } from './paged-array.ts';
import { createStringTable, type StringTable } from './string-table.ts';

/** The terms of one index with their ids, and lookups by prefix, by edit distance and by one character of a bigram. */
export interface Lexicon extends StringTable {
  /** Terms with this prefix, shortest first. */
  startingWith(prefix: string, limit: number, accepts?: TermFilter): number[];
  /** Terms with this mark behind them that begin or end with a part, shortest first: compounds of it. */
  compoundsOf(part: string, mark: string, limit: number, accepts?: TermFilter): number[];
  /** Whether any term has this mark. */
  hasMark(mark: string): boolean;
  /** Bigrams that contain this character, for scripts without spaces. */
  bigramsWith(character: string, accepts?: TermFilter): number[];
  /** Terms within `maxEdits` of a misspelled one, nearest first. */
  withinEdits(
    typed: string,
    maxEdits: number,
    limit: number,
    accepts?: TermFilter,
  ): { id: number; edits: number }[];
}

/** Filters before the limit applies: a term that no live document has must not displace one that some have. */
type TermFilter = (id: number) => boolean;

const ANY: TermFilter = () => true;
const MIN_PREFIX_LENGTH = 2;
/** What is left of a compound without a part of it is a word, too. */
const MIN_OTHER_PART = 3;

export function createLexicon(): Lexicon {
  const strings = createStringTable();
  const { term, lengthOf, startsWith } = strings;
  /** A 32-bit mask of each term's letters: a scan rejects most terms by it without reading them. */
  const letterMasks = ints();

  /** Terms that have all letters of `part` and pass `accepts`, sorted: independent of the order they were added in. */
  function containing(part: string, accepts: TermFilter): { id: number; name: string }[] {
    const wanted = letterMask(part);
    const found: { id: number; name: string }[] = [];
    const { size } = strings;
    let id = 0;
    for (const page of letterMasks.pages) {
      for (let at = 0; at < page.length && id < size; at++, id++) {
        if ((wanted & ~page[at]!) === 0 && accepts(id)) found.push({ id, name: term(id) });
      }
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Terms by the mark at their end, read as far as `markedUntil`: few languages write compounds as one word. */
  const byMark = new Map<string, number[]>();
  let markedUntil = 0;

  function marked(mark: string): readonly number[] {
    for (; markedUntil < strings.size; markedUntil++) {
      if ((letterMasks.get(markedUntil) & TILDE_BIT) === 0) continue;
      const length = lengthOf(markedUntil);
      if (length < 2 || strings.codeAt(markedUntil, length - 2) !== TILDE) continue;
      const end = `~${String.fromCharCode(strings.codeAt(markedUntil, length - 1))}`;
      const ids = byMark.get(end);
      if (ids) ids.push(markedUntil);
      else byMark.set(end, [markedUntil]);
    }
    return byMark.get(mark) ?? [];
  }

  return {
    ...strings,
    get size() {
      return strings.size;
    },
    add(added) {
      const id = strings.add(added);
      if (id === letterMasks.length) letterMasks.push(letterMask(added));
      return id;
    },
    startingWith(prefix, limit, accepts = ANY) {
      if (prefix.length < MIN_PREFIX_LENGTH) return [];
      const found = containing(prefix, (id) => startsWith(id, prefix) && accepts(id));
      found.sort((a, b) => a.name.length - b.name.length);
      return found.slice(0, limit).map(({ id }) => id);
    },
    compoundsOf(part, mark, limit, accepts = ANY) {
      const found: { id: number; name: string }[] = [];
      const wanted = letterMask(part);
      const minLength = part.length + mark.length + MIN_OTHER_PART;
      for (const id of marked(mark)) {
        if ((wanted & ~letterMasks.get(id)) !== 0 || lengthOf(id) < minLength) continue;
        const name = term(id);
        if (!name.startsWith(part) && !name.endsWith(part + mark)) continue;
        if (accepts(id)) found.push({ id, name });
      }
      found.sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
      return found.slice(0, limit).map(({ id }) => id);
    },
    hasMark: (mark) => marked(mark).length > 0,
    bigramsWith(character, accepts = ANY) {
      // Two characters are at most four UTF-16 units.
      const isBigram = (id: number) => lengthOf(id) <= 4 && isBigramWith(character, term(id)) && accepts(id);
      return containing(character, isBigram).map(({ id }) => id);
    },
    withinEdits(typed, maxEdits, limit, accepts = ANY) {
      const mask = letterMask(typed);
      const found: { id: number; name: string; edits: number }[] = [];
      const { size } = strings;
      let id = 0;
      for (const page of letterMasks.pages) {
        for (let at = 0; at < page.length && id < size; at++, id++) {
          // One edit replaces at most one letter with another: two bits of the mask.
          if (popCount(page[at]! ^ mask) > 2 * maxEdits) continue;
          if (Math.abs(lengthOf(id) - typed.length) > maxEdits) continue;
          const name = term(id);
          const edits = boundedEditDistance(typed, name, maxEdits);
          if (edits !== undefined && accepts(id)) found.push({ id, name, edits });
        }
      }
      found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
      return found.slice(0, limit);
    },
    lists: [...strings.lists, letterMasks],
  };
}

function isBigramWith(character: string, name: string): boolean {
  const [first, second, ...more] = name;
  return second !== undefined && more.length === 0 && (first === character || second === character);
}

const TILDE = '~'.charCodeAt(0);
const TILDE_BIT = letterMask('~');

function letterMask(term: string): number {
  let bits = 0;
  for (let at = 0; at < term.length; at++) bits |= 1 << (term.charCodeAt(at) & 31);
  return bits >>> 0;
}

function popCount(number: number): number {
  let bits = number - ((number >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
