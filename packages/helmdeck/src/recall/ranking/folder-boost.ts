import { NO_FOLDER } from '../index/folder.ts';
import type { TermIndex } from '../index/term-index.ts';
import type { Candidate } from './top-candidates.ts';

// The folder boost: raises the score of a document if other documents in its folder match the query as well.

/** A document's boost, as a share of the best score among the other candidates in its folder. */
const BOOST_SHARE = 0.25;

/**
 * Boosts candidates by the scores of their siblings. Facts of one folder, such as those of one conversation, are mostly
 * about one thing: if its siblings match, a document is more likely to be relevant. The order within a folder is unchanged.
 */
export function addFolderBoost(candidates: readonly Candidate[], { folder: folderOf }: TermIndex): void {
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
    candidate.folderBoost = BOOST_SHARE * (candidate.score === best ? second : best);
    candidate.score += candidate.folderBoost;
  }
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
