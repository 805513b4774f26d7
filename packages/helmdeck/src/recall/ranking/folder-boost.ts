import { NO_FOLDER } from '../index/folder.ts';
import type { TermIndex } from '../index/term-index.ts';
import type { Ranked } from './top-candidates.ts';

/** How much of the score of the best other one in its folder a document gets. */
const SHARE = 0.25;

/**
 * What is filed together, such as the facts of one conversation, is mostly about one thing: a document whose neighbours
 * answer a question is likelier to answer it, too. Within a folder this changes no order.
 */
export function addCompany(found: readonly Ranked[], { folder: folderOf }: TermIndex): void {
  const folders = createFolderTable(found.length);
  const slots = new Uint32Array(found.length);
  for (let at = 0; at < found.length; at++) {
    const { document, score } = found[at]!;
    const folder = folderOf(document);
    if (folder !== NO_FOLDER) slots[at] = folders.note(folder, score);
  }
  for (let at = 0; at < found.length; at++) {
    const ranked = found[at]!;
    const others = folders.second[slots[at]!]!;
    if (others === 0) continue;
    const highest = folders.best[slots[at]!]!;
    ranked.company = SHARE * (ranked.score === highest ? others : highest);
    ranked.score += ranked.company;
  }
}

/** The two highest scores of each folder. A Map would take as long as all the rest of the ranking after the sums. */
function createFolderTable(size: number) {
  // Slot 0 is no folder's.
  const numbers = new Uint32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
  const best = new Float64Array(numbers.length);
  const second = new Float64Array(numbers.length);
  const mask = numbers.length - 1;
  return {
    best,
    second,
    /** Takes a score in; returns the folder's slot. */
    note(folder: number, score: number): number {
      let slot = folder & mask || 1;
      while (numbers[slot] !== 0 && numbers[slot] !== folder) slot = (slot + 1) & mask || 1;
      numbers[slot] = folder;
      if (score > best[slot]!) {
        second[slot] = best[slot]!;
        best[slot] = score;
      } else if (score > second[slot]!) second[slot] = score;
      return slot;
    },
  };
}
