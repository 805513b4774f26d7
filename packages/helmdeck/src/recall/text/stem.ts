import { BASE_FORMS } from './languages/irregular-words.ts';
import { porter2 } from './languages/porter2.ts';

const MAX_CACHED = 65_536;
const LATIN_WORD = /^[a-z']{3,32}$/;
const LAST_LETTER = 'z'.charCodeAt(0);
const cache = new Map<string, string>();

/** The stemmer with a cache: the Porter 2 stem of a lower-case Latin word or of its base form; any other word is its own stem. */
export function stem(word: string): string {
  if (word.charCodeAt(0) > LAST_LETTER) return word;
  const cached = cache.get(word);
  if (cached !== undefined) return cached;
  if (!LATIN_WORD.test(word)) return word;
  const stemmed = porter2(BASE_FORMS.get(word) ?? word);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(word, stemmed);
  return stemmed;
}
