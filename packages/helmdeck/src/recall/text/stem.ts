import { porter2 } from './porter2.ts';

const MAX_KNOWN = 65_536;
const LATIN_WORD = /^[a-z']{3,32}$/;
const known = new Map<string, string>();

/** The Snowball English stem of a lower-case word; anything but a plain Latin word stays as it is. */
export function stem(word: string): string {
  const before = known.get(word);
  if (before !== undefined) return before;
  if (!LATIN_WORD.test(word)) return word;
  const stemmed = porter2(word);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, stemmed);
  return stemmed;
}
