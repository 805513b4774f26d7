import { openThesaurus, type Thesaurus } from './thesaurus.ts';
import { openWordTable, type WordTable } from './word-table.ts';

/** What recall knows of words beyond the memory it searches. */
export interface Wordbook extends Thesaurus {
  /** Absent where only synonyms are known: then every word counts as rare, and none has a meaning to compare. */
  readonly words?: WordTable;
}

export const openWordbook = (): Wordbook => ({ ...openThesaurus(), words: openWordTable() });
