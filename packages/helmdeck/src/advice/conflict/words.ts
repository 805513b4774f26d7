import { stem } from '../../recall/text/stem.ts';
import {
  CHOOSING_VERBS,
  COPULAS,
  COUNTERPARTS,
  DESCRIPTIVE,
  DOING,
  FILLERS,
  FIXING_VERBS,
  LIGHT_VERBS,
  list,
  NEGATORS,
  ONCE_VERBS,
  OPPOSITES,
  PREPOSITIONS,
  RIVALS,
  SINGULAR_NOUNS,
  SYNONYMS,
  TIME_WORDS,
} from './lexicon.ts';

// Compiles the lists of `lexicon.ts` into the sense of each word.

/** The role and traits of a word in a short statement. */
export interface WordSense {
  /** The stem that synonyms and spellings of the word share. */
  stem: string;
  role: 'name' | 'filler' | 'copula' | 'negator' | 'preposition' | 'timeword';
  /** How strongly sharing the word suggests the same subject: 1 for a name, less for "use" or "have". */
  weight: number;
  /** Whether the word negates ("disabled"); its stem is then that of its antonym. */
  negative: boolean;
  /** Head nouns of which there is one at a time: "manager", "default branch", "timezone". */
  singular: boolean;
  /** Prepositions after which the verb has one answer at a time: "by" for "owned". */
  fixes: readonly string[];
  /** Verbs of choosing: "use", "prefer". */
  chooses: boolean;
  /** Adjectives and states, which name no identity: "busy", "slow". */
  descriptive: boolean;
  /** Verbs of something that happens once, so that two dates for it conflict: "founded", "expires". */
  once: boolean;
}

const NONE: readonly string[] = [];
const canonical = new Map<string, string>();
const senses = new Map<string, WordSense>();
/** Senses of words outside the lists: a lookup is much cheaper than stemming. */
const cache = new Map<string, WordSense>();
const MAX_CACHED_WORDS = 32_768;
const MAX_CACHED_CHARS = 32;
const rivalGroups = new Map<string, { group: number; option: number; kind: 'choice' | 'date' }>();

const stemOf = (word: string) => {
  const known = canonical.get(word);
  if (known !== undefined) return known;
  const stemmed = stem(word);
  return canonical.get(stemmed) ?? stemmed;
};

function declare(words: readonly string[], traits: Partial<WordSense>): void {
  for (const word of words) {
    const known = senses.get(word) ?? plainName(word);
    senses.set(word, { ...known, ...traits });
  }
}

function plainName(word: string): WordSense {
  const root = stemOf(word);
  const traits = byStem.get(root);
  return {
    stem: root,
    role: 'name',
    weight: 1,
    negative: false,
    singular: traits?.singular ?? false,
    fixes: traits?.fixes ?? NONE,
    chooses: traits?.chooses ?? false,
    descriptive: traits?.descriptive ?? false,
    once: traits?.once ?? false,
  };
}

/** Traits apply to every form of a word; roles only to the forms listed ("uses" is a verb, "used" may be past). */
const byStem = new Map<string, Partial<WordSense>>();
function trait(words: readonly string[], traits: Partial<WordSense>): void {
  for (const word of words) byStem.set(stemOf(word), { ...byStem.get(stemOf(word)), ...traits });
}

for (const [first, ...others] of SYNONYMS) {
  for (const word of others) {
    canonical.set(word, stem(first!));
    canonical.set(stem(word), stem(first!));
  }
}
trait(SINGULAR_NOUNS, { singular: true });
for (const [prepositions, verbs] of FIXING_VERBS) {
  for (const verb of list(verbs)) {
    const known = byStem.get(stemOf(verb))?.fixes ?? NONE;
    trait([verb], { fixes: [...known, ...list(prepositions)] });
  }
}
trait(CHOOSING_VERBS, { chooses: true });
trait(ONCE_VERBS, { once: true });
trait(DESCRIPTIVE, { descriptive: true });
declare(LIGHT_VERBS, { weight: 0.3 });
for (const [positive, negative] of OPPOSITES) {
  const root = stemOf(list(positive)[0]!);
  const weight = root === DOING ? 0.3 : 1;
  declare(list(positive), { stem: root, weight });
  declare(list(negative), { stem: root, weight, negative: true });
}
declare(PREPOSITIONS, { role: 'preposition', weight: 0 });
declare(FILLERS, { role: 'filler', weight: 0 });
declare(TIME_WORDS, { role: 'timeword' });
declare(COPULAS, { role: 'copula', weight: 0 });
declare(NEGATORS, { role: 'negator', weight: 0 });
for (const [group, [kind, line]] of RIVALS.entries()) {
  for (const [option, words] of line.split('|').entries()) {
    for (const word of list(words)) rivalGroups.set(stemOf(word), { group, option, kind });
  }
}

const counterparts = new Map<string, number>();
for (const [group, words] of COUNTERPARTS.entries()) {
  for (const word of words) counterparts.set(stemOf(word), group);
}

/** The sense of a lower-case word. */
export function senseOf(word: string): WordSense {
  let sense = senses.get(word) ?? cache.get(word);
  if (sense === undefined) {
    sense = plainName(word);
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    if (word.length <= MAX_CACHED_CHARS) cache.set(word, sense);
  }
  return sense;
}

/** The kind of conflict of two options that exclude each other, undefined if they do not. */
export function rivalry(mine: string, theirs: string): 'choice' | 'date' | undefined {
  const a = rivalGroups.get(mine);
  const b = a && rivalGroups.get(theirs);
  return b && a.group === b.group && a.option !== b.option ? a.kind : undefined;
}

/** Whether two words are known to mean different things, however alike they are used. */
export const areCounterparts = (a: string, b: string): boolean =>
  rivalry(a, b) !== undefined || (counterparts.has(a) && counterparts.get(a) === counterparts.get(b));

const hasDigit = (word: string) => /\d/.test(word);

/** One is the plural or a prefix of the other, or they differ by one letter. */
export function isSpelling(a: string, b: string): boolean {
  if (a[0] !== b[0]) return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long === `${short}s`) return true;
  if (short.length < 4 || hasDigit(short) || hasDigit(long)) return false;
  if (long.startsWith(short)) return true;
  if (short.length < 6 || long.length - short.length > 1) return false;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared++;
  const rest = long.slice(shared + 1);
  return rest === short.slice(shared) || rest === short.slice(shared + 1);
}
