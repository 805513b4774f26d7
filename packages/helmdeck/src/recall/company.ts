import { NO_FOLDER } from './folder.ts';
import { PAGE_MASK, PAGE_SHIFT } from './paged.ts';
import type { Ranked } from './select-best.ts';
import type { TermIndex } from './term-index.ts';
import { FOLDER_AT } from './term-sheet.ts';

/** How much of the score of the best other one in its folder a document gets. */
const SHARE = 0.25;

/**
 * What is filed together, such as the facts of one conversation, is mostly about one thing: a document whose neighbours
 * answer a question is likelier to answer it, too. Within a folder this changes no order.
 */
export function addCompany(found: readonly Ranked[], { sheetPlace, sheetPages }: TermIndex): void {
  const folders = found.map(({ document }) => {
    const place = sheetPlace(document);
    return sheetPages[place >>> PAGE_SHIFT]![(place & PAGE_MASK) + FOLDER_AT]!;
  });
  const best = new Map<number, { first: number; second: number }>();
  for (const [at, { score }] of found.entries()) {
    const scores = best.get(folders[at]!);
    if (!scores) best.set(folders[at]!, { first: score, second: 0 });
    else if (score > scores.first) best.set(folders[at]!, { first: score, second: scores.first });
    else if (score > scores.second) scores.second = score;
  }
  best.delete(NO_FOLDER);
  for (const [at, ranked] of found.entries()) {
    const scores = best.get(folders[at]!);
    if (!scores) continue;
    ranked.company = SHARE * (ranked.score === scores.first ? scores.second : scores.first);
    ranked.score += ranked.company;
  }
}
