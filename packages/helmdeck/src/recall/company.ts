import { NO_FOLDER } from './folder.ts';
import type { Ranked } from './select-best.ts';
import type { TermIndex } from './term-index.ts';

/** How much of the score of the best other one in its folder a document gets. */
const SHARE = 0.25;

/**
 * What is filed together, such as the facts of one conversation, is mostly about one thing: a document whose neighbours
 * answer a question is likelier to answer it, too. Within a folder this changes no order.
 */
export function addCompany(found: readonly Ranked[], { folder: folderOf }: TermIndex): void {
  const folders = new Uint32Array(found.length);
  const best = new Map<number, number>();
  const second = new Map<number, number>();
  for (let at = 0; at < found.length; at++) {
    const { document, score } = found[at]!;
    const folder = folderOf(document);
    folders[at] = folder;
    if (folder === NO_FOLDER) continue;
    const before = best.get(folder);
    if (before === undefined) best.set(folder, score);
    else if (score > before) {
      best.set(folder, score);
      second.set(folder, before);
    } else if (score > (second.get(folder) ?? 0)) second.set(folder, score);
  }
  for (let at = 0; at < found.length; at++) {
    const ranked = found[at]!;
    const others = second.get(folders[at]!);
    if (others === undefined) continue;
    const highest = best.get(folders[at]!)!;
    ranked.company = SHARE * (ranked.score === highest ? others : highest);
    ranked.score += ranked.company;
  }
}
