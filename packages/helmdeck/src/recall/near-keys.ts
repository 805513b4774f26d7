import type { Image } from './image/image.ts';
import { searchImage } from './search.ts';
import { boundedEditDistance } from './text/edit-distance.ts';
import type { Wordbook } from './words/wordbook.ts';

const MAX_KEYS = 5;
/** Hits of a search for the words of the key, with their misspellings: the keys to compare with. */
const MAX_CANDIDATES = 50;
/** A key is near another if at most this share of it differs. */
const MAX_DIFFERENCE = 0.4;

/** The keys of facts that a mistyped, shortened or misremembered key may stand for, most similar first. */
export function nearKeys(image: Image, key: string, wordbook: Wordbook, nowMs: number): string[] {
  const { hits } = searchImage(image, { text: key, limit: MAX_CANDIDATES }, wordbook, nowMs);
  return hits
    .map(({ document }) => ({ key: document.key, difference: differenceOf(key, document.key) }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((a, b) => a.difference - b.difference || (a.key < b.key ? -1 : 1))
    .slice(0, MAX_KEYS)
    .map((near) => near.key);
}

/** 0 for keys that differ in case only, 1 for keys that have nothing in common. */
function differenceOf(wanted: string, known: string): number {
  const [a, b] = [wanted.toLowerCase(), known.toLowerCase()];
  const longest = Math.max(a.length, b.length);
  const edits = boundedEditDistance(a, b, Math.floor(longest * MAX_DIFFERENCE));
  const byEdits = edits === undefined ? 1 : edits / longest;
  const isPart = `/${b}/`.includes(`/${a}/`) || `/${a}/`.includes(`/${b}/`);
  return Math.min(byEdits, isPart ? MAX_DIFFERENCE / 2 : 1, lastPart(a) === lastPart(b) ? MAX_DIFFERENCE : 1);
}

const lastPart = (key: string) => key.slice(key.lastIndexOf('/') + 1);
