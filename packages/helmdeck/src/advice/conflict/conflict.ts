import { clausesOf, type Item } from './clauses.ts';
import { compareClauses } from './compare.ts';
import { type Conflict, cut, type Side } from './frame.ts';
import { areOfOneSeries, areParallelKeys, keyWordsOf, subjectsAmong } from './keys.ts';
import { haveLittleInCommon, isSelfContained, overlapOf, type Terms, termsOf } from './similarity.ts';
import { comparableText, type Token, tokenise } from './tokens.ts';

export type { Conflict } from './frame.ts';

// Entry point of conflict detection: analyses statements, finds conflicts between two, and measures their similarity.

export interface Statement {
  key: string;
  value: string;
  tags: readonly string[];
}

/** A statement prepared for comparison: done once, so that an incoming fact is compared with several known ones cheaply. */
export interface AnalysedStatement {
  statement: Statement;
  /** The normalised beginning of its value, and its tokens. */
  text: string;
  tokens: readonly Token[];
  /** The words in order: equal for texts that differ only in case, spacing or punctuation. */
  plain: string;
  /** Its content words, for similarity. */
  terms: Terms;
  /** Parsed on first use: statements with the same words are never parsed. */
  readonly parsed: ParsedStatement;
}

/** A statement split into clauses. */
interface ParsedStatement {
  clauses: readonly Side[];
  /** Every stem of value, key and tags. */
  all: ReadonlySet<string>;
  keyWords: readonly string[];
  /** Those of them that may be a subject. */
  keySubjects: readonly string[];
}

const MAX_TAGS = 32;
/** Similarity compares this much of a text; less would not do, because long notes often begin alike. */
const MAX_CHARS = 1_500;
const MAX_TOKENS = 320;
/** Conflicts are searched in this many tokens; the rest of a long text is ignored. */
const MAX_CLAUSE_TOKENS = 64;

/** A conflict over one detail of a long text takes this many equal tokens, so many of them before the detail. */
const MIN_SHARED_TOKENS = 10;
const MIN_SHARED_HEAD = 6;
const MAX_DETAIL_TOKENS = 3;

/** The similarity of texts that are not known to be equal is capped here. */
const MAX_SIMILARITY_OF_UNEQUAL = 0.99;

/**
 * Prepares a statement for comparison in bounded time, however long its value. Reuses `other` if it has the same value:
 * a fact that is stored again is mostly compared with its copies.
 */
export function analyse(statement: Statement, other?: AnalysedStatement): AnalysedStatement {
  const copy = other?.statement.value === statement.value ? other : undefined;
  const text = copy?.text ?? comparableText(statement.value, MAX_CHARS);
  const tokens = copy?.tokens ?? tokenise(text, MAX_TOKENS);
  const firstTokens = tokens.length > MAX_CLAUSE_TOKENS ? tokens.slice(0, MAX_CLAUSE_TOKENS) : tokens;
  // A value of one or two words says nothing without its key.
  const isShort = !isSelfContained(tokens);
  let parsed: ParsedStatement | undefined;
  return {
    statement,
    text,
    tokens,
    plain: copy?.plain ?? firstTokens.map(({ lower }) => lower).join(' '),
    terms: copy && !isShort ? copy.terms : termsOf(tokens, isShort ? keyWordsOf(statement.key) : [], text),
    get parsed() {
      parsed ??= parseStatement(statement, text, firstTokens);
      return parsed;
    },
  };
}

function parseStatement({ key, tags }: Statement, text: string, tokens: readonly Token[]): ParsedStatement {
  const keyWords = keyWordsOf(key);
  const clauses = clausesOf(tokens);
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

/** The first conflict between a clause of the incoming statement and one of a known statement. */
export function findConflict(incoming: AnalysedStatement, known: AnalysedStatement): Conflict | undefined {
  if (incoming.plain === known.plain || haveLittleInCommon(incoming.terms, known.terms)) return undefined;
  if (haveOtherSubjects(incoming, known)) return undefined;
  for (const mine of incoming.parsed.clauses) {
    for (const theirs of known.parsed.clauses) {
      const conflict = compareClauses(mine, theirs);
      if (conflict) return conflict;
    }
  }
  return findChangedDetail(incoming, known);
}

/** Long texts that are equal but for one to three words well after their beginning; not of events, which may repeat. */
function findChangedDetail(mine: AnalysedStatement, theirs: AnalysedStatement): Conflict | undefined {
  const [a, b] = [mine.tokens, theirs.tokens];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head]!.lower === b[head]!.lower) head++;
  const isEvent = ({ parsed }: AnalysedStatement) => parsed.clauses.some(({ clause }) => clause.event);
  if (head < MIN_SHARED_HEAD || isEvent(mine) || isEvent(theirs)) return undefined;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail)!.lower === b.at(-1 - tail)!.lower) tail++;
  const [changedA, changedB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const isDetail = (changed: readonly Token[]) => changed.length > 0 && changed.length <= MAX_DETAIL_TOKENS;
  if (!isDetail(changedA) || !isDetail(changedB) || tail + head < MIN_SHARED_TOKENS) return undefined;
  if (overlapOf(termsOf(changedA, [], ''), termsOf(changedB, [], '')) > 0) return undefined;
  const phrase = (text: string, changed: readonly Token[]) =>
    cut(text.slice(changed[0]!.start, changed.at(-1)!.end));
  return { kind: 'choice', mine: phrase(mine.text, changedA), theirs: phrase(theirs.text, changedB) };
}

/** Whether the keys alone tell that the statements are about different things. */
function haveOtherSubjects({ statement, parsed }: AnalysedStatement, known: AnalysedStatement): boolean {
  const hasSubject = parsed.clauses.some(({ clause }) => clause.names.length > 0);
  return (
    areOfOneSeries(statement.key, known.statement.key, hasSubject) || areParallelKeys(parsed, known.parsed)
  );
}

/**
 * How nearly two statements say the same in the same words, from 0 to 1; 1 only for equal texts.
 * For values of one or two words ("yes", "3") the words of the keys count as well.
 */
export function similarity(a: AnalysedStatement, b: AnalysedStatement): number {
  const [longA, longB] = [a.statement.value.length, b.statement.value.length];
  const overlap = overlapOf(a.terms, b.terms);
  if (a.statement.value === b.statement.value) return overlap;
  const longest = Math.max(longA, longB);
  // Beyond `MAX_CHARS` only the lengths are known.
  if (longest > MAX_CHARS)
    return Math.min(overlap * (Math.min(longA, longB) / longest), MAX_SIMILARITY_OF_UNEQUAL);
  return a.plain === b.plain ? overlap : Math.min(overlap, MAX_SIMILARITY_OF_UNEQUAL);
}
