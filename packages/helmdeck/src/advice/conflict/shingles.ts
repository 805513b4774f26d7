import type { Token } from './tokens.ts';
import { senseOf } from './words.ts';

/** A value of fewer words means little without its key. */
const MIN_OWN_WORDS = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Whether a value has enough words to be compared without its key. */
export const isSelfContained = (tokens: readonly Token[]) => tokens.length >= MIN_OWN_WORDS;

/** Shingles of a statement: hashes of its content words and of their bigrams, sorted, without repeats. */
export function shinglesOf(tokens: readonly Token[], keyWords: readonly string[], text: string): Uint32Array {
  const stems: string[] = isSelfContained(tokens) ? [] : [...keyWords];
  for (const { lower } of tokens) {
    const { stem, role } = senseOf(lower);
    if (role !== 'filler' && role !== 'preposition' && role !== 'copula') stems.push(stem);
  }
  if (stems.length === 0) for (const { lower } of tokens) stems.push(lower);
  // A text without words ("👍") is one shingle.
  if (tokens.length === 0) stems.push(text.trim());
  const hashes = new Uint32Array(2 * stems.length);
  let previous = 0;
  for (const [at, stem] of stems.entries()) {
    const hash = hashOf(stem);
    hashes[2 * at] = hash;
    hashes[2 * at + 1] = Math.imul(previous, FNV_PRIME) ^ hash ^ 0x5bd1e995;
    previous = hash;
  }
  return deduplicate(hashes.sort());
}

function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash >>> 0;
}

function deduplicate(sorted: Uint32Array): Uint32Array {
  let kept = 0;
  for (let at = 0; at < sorted.length; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[kept++] = sorted[at]!;
  }
  return sorted.subarray(0, kept);
}

/** The Sørensen–Dice coefficient of two sorted sets. */
export function diceOf(a: Uint32Array, b: Uint32Array): number {
  if (a.length === 0 && b.length === 0) return 1;
  let [atA, atB, shared] = [0, 0, 0];
  while (atA < a.length && atB < b.length) {
    const [left, right] = [a[atA]!, b[atB]!];
    if (left === right) shared++;
    if (left <= right) atA++;
    if (right <= left) atB++;
  }
  return (2 * shared) / (a.length + b.length);
}
