import { TERMS_OFFSET } from '../index/document-terms.ts';
import { NO_FOLDER } from '../index/folder.ts';
import { PAGE_MASK, PAGE_SHIFT } from '../index/paged-array.ts';
import type { TermIndex } from '../index/term-index.ts';
import type { Candidate } from './top-candidates.ts';

// The folder boost: raises the score of a document if other documents in its folder match the query as well, and more
// so if those are the ones before and after it.

/** A document's boost, as a share of the best score among the other candidates in its folder. */
const BOOST_SHARE = 0.25;
/**
 * The same for the documents before and after it, if the keys of its folder end in numbers: what was said next belongs to
 * what was said. Shares from 0.1 to 0.2 all helped; twice as far apart, or across folders, they helped no more.
 */
const NEIGHBOUR_SHARE = 0.2;
/** Room for the number behind a folder's hash in one exact integer. */
const MAX_NUMBER = 2 ** 21;
const NUMBER = /^\d{1,6}$/;

/**
 * Boosts candidates by the scores of their siblings. Facts of one folder, such as those of one conversation, are mostly
 * about one thing: if its siblings match, a document is more likely to be relevant.
 */
export function addFolderBoost(candidates: readonly Candidate[], index: TermIndex): void {
  const { folder: folderOf } = index;
  const neighbours = neighbourScores(candidates, index);
  const folders = createFolderTable(candidates.length);
  const slots = new Uint32Array(candidates.length);
  for (let at = 0; at < candidates.length; at++) {
    const { document, score } = candidates[at]!;
    const folder = folderOf(document);
    if (folder !== NO_FOLDER) slots[at] = folders.add(folder, score);
  }
  for (let at = 0; at < candidates.length; at++) {
    const candidate = candidates[at]!;
    const second = folders.second[slots[at]!]!;
    if (second === 0) continue;
    const best = folders.best[slots[at]!]!;
    const sibling = candidate.score === best ? second : best;
    candidate.folderBoost = BOOST_SHARE * sibling + NEIGHBOUR_SHARE * neighbours[at]!;
    candidate.score += candidate.folderBoost;
  }
}

/** For each candidate the higher score of the two whose keys have the numbers before and after its own. */
function neighbourScores(candidates: readonly Candidate[], index: TermIndex): Float64Array {
  const places = candidates.map(({ document }) => placeOf(document, index));
  const scores = new Map<number, number>();
  for (const [at, place] of places.entries())
    if (place !== undefined) scores.set(place, candidates[at]!.score);
  return Float64Array.from(places, (place) =>
    place === undefined ? 0 : Math.max(scores.get(place - 1) ?? 0, scores.get(place + 1) ?? 0),
  );
}

/** A document's folder and number as one integer; undefined if its key does not end in a number. */
function placeOf(
  document: number,
  { folder, termsOffset, termPages, lexicon }: TermIndex,
): number | undefined {
  if (folder(document) === NO_FOLDER) return undefined;
  const offset = termsOffset(document);
  const page = termPages[offset >>> PAGE_SHIFT]!;
  const start = offset & PAGE_MASK;
  const [valueTerms, keyTerms] = [page[start]!, page[start + 1]!];
  const last = lexicon.term(page[start + TERMS_OFFSET + valueTerms + keyTerms - 1]!);
  return NUMBER.test(last) ? folder(document) * MAX_NUMBER + Number(last) : undefined;
}

/**
 * The two highest scores of each folder, in an open-addressing hash table: a Map would take as long as the rest of the
 * ranking after `accumulate`.
 */
function createFolderTable(size: number) {
  // Slot 0 stays empty, for candidates without a folder.
  const hashes = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const best = new Float64Array(hashes.length);
  const second = new Float64Array(hashes.length);
  const mask = hashes.length - 1;
  return {
    best,
    second,
    /** Adds a score; returns the folder's slot. */
    add(folder: number, score: number): number {
      let slot = folder & mask || 1;
      while (hashes[slot] !== 0 && hashes[slot] !== folder) slot = (slot + 1) & mask || 1;
      hashes[slot] = folder;
      if (score > best[slot]!) {
        second[slot] = best[slot]!;
        best[slot] = score;
      } else if (score > second[slot]!) second[slot] = score;
      return slot;
    },
  };
}
