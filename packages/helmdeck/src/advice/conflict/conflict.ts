import { clausesOf, type Item } from './clauses.ts';
import { compareClauses } from './compare.ts';
import { type Conflict, cut, type Side } from './frame.ts';
import { areParallelKeys, keyWordsOf, subjectsAmong } from './keys.ts';
import { diceOf, shinglesOf, speaksForItself } from './likeness.ts';
import { comparableText, type Token, tokenise } from './tokens.ts';

export type { Conflict } from './frame.ts';

export interface Statement {
  key: string;
  value: string;
  tags: readonly string[];
}

/** What reading one statement once gives, so that a new fact is compared with several known ones cheaply. */
export interface AnalysedStatement {
  statement: Statement;
  /** What of its value is compared, and its words. */
  text: string;
  tokens: readonly Token[];
  /** The words in order, lower case and without punctuation: equal for texts that differ in nothing else. */
  plain: string;
  /** Hashes of words and of neighbours, sorted, without repeats. */
  shingles: Uint32Array;
  /** What it says, read when first asked for: of statements in the same words nobody asks. */
  readonly said: Said;
}

/** A statement clause by clause. */
interface Said {
  clauses: readonly Side[];
  /** Every stem of value, key and tags. */
  all: ReadonlySet<string>;
  keyWords: readonly string[];
  /** Those of them that may be a subject of their own. */
  keySubjects: readonly string[];
}

const MAX_TAGS = 32;
/** Near duplicates are told over this much of a text, because long notes often begin alike. */
const MAX_CHARS = 1_500;
const MAX_TOKENS = 320;
/** Enough for what a fact says first; the rest of a long text is not searched for conflicts. */
const MAX_CLAUSE_TOKENS = 64;

/** The most that texts can have which are not known to be the same. */
const NEARLY_SAME = 0.99;

/**
 * Reads a statement for comparing; the time it takes has a bound, however long the value. One with the same value may
 * have been read before: facts that are stored again are mostly compared with their copies.
 */
export function analyse(statement: Statement, before?: AnalysedStatement): AnalysedStatement {
  const copy = before?.statement.value === statement.value ? before : undefined;
  const text = copy?.text ?? comparableText(statement.value, MAX_CHARS);
  const tokens = copy?.tokens ?? tokenise(text, MAX_TOKENS);
  const head = tokens.length > MAX_CLAUSE_TOKENS ? tokens.slice(0, MAX_CLAUSE_TOKENS) : tokens;
  const keyWords = keyWordsOf(statement.key);
  let said: Said | undefined;
  return {
    statement,
    text,
    tokens,
    plain: copy?.plain ?? head.map(({ lower }) => lower).join(' '),
    shingles: copy && speaksForItself(tokens) ? copy.shingles : shinglesOf(tokens, keyWords, text),
    get said() {
      said ??= saidIn(statement, text, head, keyWords);
      return said;
    },
  };
}

function saidIn(
  { tags }: Statement,
  text: string,
  head: readonly Token[],
  keyWords: readonly string[],
): Said {
  const clauses = clausesOf(head);
  const all = new Set(keyWords);
  for (const tag of tags.slice(0, MAX_TAGS)) for (const word of keyWordsOf(tag)) all.add(word);
  const values: Item[] = [];
  for (const clause of clauses) {
    for (const { sense } of clause.names) all.add(sense.stem);
    for (const { sense } of clause.rejected) all.add(sense.stem);
    values.push(...clause.values);
  }
  const sides = clauses.map((clause): Side => ({ clause, text, all, values, keyWords }));
  return { clauses: sides, all, keyWords, keySubjects: subjectsAmong(keyWords) };
}

/** How a new statement disagrees with a known one about the same thing; advice, never a refusal. */
export function findConflict(fresh: AnalysedStatement, known: AnalysedStatement): Conflict | undefined {
  if (fresh.plain === known.plain || areParallelKeys(fresh.said, known.said)) return undefined;
  for (const mine of fresh.said.clauses) {
    for (const theirs of known.said.clauses) {
      const conflict = compareClauses(mine, theirs);
      if (conflict) return conflict;
    }
  }
  return undefined;
}

/** The conflict of one key that gets another value; nothing when only case, spacing or punctuation changed. */
export function findValueConflict(fresh: AnalysedStatement, known: AnalysedStatement): Conflict | undefined {
  const [mine, theirs] = [fresh.statement, known.statement];
  if (mine.key !== theirs.key || mine.value === theirs.value) return undefined;
  if (fresh.plain !== '' && fresh.plain === known.plain && likeness(fresh, known) === 1) return undefined;
  return { kind: 'value', mine: cut(mine.value), theirs: cut(theirs.value) };
}

/**
 * 0–1: how far two statements say the same in the same words; 1 for the same text.
 * Of values of one or two words ("yes", "3") the keys are part of the text.
 */
export function likeness(a: AnalysedStatement, b: AnalysedStatement): number {
  const [longA, longB] = [a.statement.value.length, b.statement.value.length];
  const alike = diceOf(a.shingles, b.shingles);
  if (a.statement.value === b.statement.value) return alike;
  const longest = Math.max(longA, longB);
  // Beyond what was read, only the length tells.
  if (longest > MAX_CHARS) return Math.min(alike * (Math.min(longA, longB) / longest), NEARLY_SAME);
  return a.plain === b.plain ? alike : Math.min(alike, NEARLY_SAME);
}
