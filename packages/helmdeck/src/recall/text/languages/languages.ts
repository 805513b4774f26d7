import { arabic, arabicConsonants } from './arabic.ts';
import {
  ARABIC,
  DUTCH,
  ENGLISH_SPELLINGS,
  FRENCH,
  GERMAN,
  ITALIAN,
  type LanguageWords,
  PORTUGUESE,
  RUSSIAN,
  SPANISH,
  TURKISH,
} from './language-words.ts';
import {
  dutch,
  french,
  german,
  italian,
  portuguese,
  russian,
  type Stemmer,
  spanish,
  turkish,
} from './light-stemmers.ts';
import { createSpellingCounter } from './spellings.ts';

// The languages beside English whose words are also indexed by stems of their own. Which language a fact is in shows in
// its function words; a question is looked up in all of them, because a few words need not have any.

interface Language extends LanguageWords {
  /** Marks its stems in the index: no word of a text contains a tilde. */
  tag: string;
  stem: Stemmer;
  /** A form that more words have in common, for words whose stems differ. */
  loose?: { tag: string; stem: (word: string) => string | undefined };
  /** Writes compounds as one word: Datenbankpasswort. */
  joinsNouns?: true;
  /** The script it is alone in, here: no function word is needed. */
  script?: RegExp;
}

const LANGUAGES: readonly Language[] = [
  { tag: '~d', stem: german, joinsNouns: true, ...GERMAN },
  { tag: '~f', stem: french, ...FRENCH },
  { tag: '~e', stem: spanish, ...SPANISH },
  { tag: '~i', stem: italian, ...ITALIAN },
  { tag: '~p', stem: portuguese, ...PORTUGUESE },
  { tag: '~n', stem: dutch, joinsNouns: true, ...DUTCH },
  { tag: '~t', stem: turkish, ...TURKISH },
  { tag: '~r', stem: russian, script: /[\u0400-\u04ff]/, ...RUSSIAN },
  {
    tag: '~a',
    stem: arabic,
    loose: { tag: '~b', stem: arabicConsonants },
    script: /[\u0600-\u06ff]/,
    ...ARABIC,
  },
];

/** The languages of which a word is a function word, a bit each. */
const FUNCTION_WORDS = masksOf(({ functionWords }) => functionWords);
/** The languages that a word points to. */
const TELLING_WORDS = masksOf(({ functionWords, commonWords = '' }) => `${functionWords} ${commonWords}`);

function masksOf(wordsOf: (language: Language) => string): Map<string, number> {
  const masks = new Map<string, number>();
  for (const [number, language] of LANGUAGES.entries()) {
    for (const word of wordsOf(language).trim().split(/\s+/))
      masks.set(word, (masks.get(word) ?? 0) | (1 << number));
  }
  return masks;
}

/** Index of a language in the table, -1 for English and all others. */
export type LanguageNumber = number;
export const NO_LANGUAGE: LanguageNumber = -1;
export const LANGUAGE_NUMBERS: readonly LanguageNumber[] = LANGUAGES.map((_, number) => number);

/**
 * Guesses the language of a text from its words as they come. One function word of a language is enough, if English and
 * the others have fewer; between several, or where a short note has none, spelling decides.
 */
export interface LanguageGuess {
  add(word: string, isEnglishStopWord: boolean): void;
  /** `text` is what the words are from. */
  finish(text: string): LanguageNumber;
}

const NOT_ASCII = /[^\0-\x7f]/;
/** A spelling or two may be a name or a loan word. */
const MIN_SPELLINGS = 3;
/** The language of a longer text without function words, such as a log, does not matter. */
const MAX_SPELLED_CHARS = 400;
const SPELLINGS = createSpellingCounter([
  ...LANGUAGES.map(({ spellings = '' }) => spellings),
  ENGLISH_SPELLINGS,
]);
const ENGLISH = LANGUAGES.length;

export function createLanguageGuess(): LanguageGuess {
  const votes = new Int32Array(LANGUAGES.length);
  let english = 0;
  let most = 0;

  /** Of the languages with most votes the one whose spellings are most frequent. */
  function bySpelling(text: string, most: number): LanguageNumber {
    const tied = LANGUAGE_NUMBERS.filter((number) => votes[number] === most && LANGUAGES[number]!.spellings);
    if (most > 0 && tied.length < 2) return votes.indexOf(most);
    const counts = SPELLINGS.count(text.slice(0, MAX_SPELLED_CHARS));
    let best = most > 0 ? tied[0]! : NO_LANGUAGE;
    let needed = most > 0 ? 0 : Math.max(MIN_SPELLINGS - 1, counts[ENGLISH]!);
    for (const number of tied) if (counts[number]! > needed) [best, needed] = [number, counts[number]!];
    return best;
  }

  return {
    add(word, isEnglishStopWord) {
      const mask = TELLING_WORDS.get(word) ?? 0;
      for (let number = 0; mask >>> number !== 0; number++) {
        votes[number]! += (mask >>> number) & 1;
        most = Math.max(most, votes[number]!);
      }
      if (isEnglishStopWord) english++;
    },
    finish(text) {
      let best = NO_LANGUAGE;
      if (NOT_ASCII.test(text)) {
        best = LANGUAGES.findIndex(({ script }) => script?.test(text));
        for (const [number, { letters }] of LANGUAGES.entries())
          if (letters?.test(text)) most = Math.max(most, ++votes[number]!);
      }
      if (best === NO_LANGUAGE && most >= english && (most > english || most === 0))
        best = bySpelling(text, most);
      votes.fill(0);
      english = 0;
      most = 0;
      return best;
    },
  };
}

/** Whether a word says nothing in a language. */
export const isFunctionWord = (word: string, language: LanguageNumber): boolean =>
  language !== NO_LANGUAGE && ((FUNCTION_WORDS.get(word) ?? 0) >>> language) % 2 === 1;

/** Whether a word points to a language. */
export const saysLanguage = (word: string): boolean => TELLING_WORDS.has(word);

const MIN_STEMMED_LENGTH = 3;
const HAS_DIGIT = /\d/;

/** The term by which a word is indexed in a language; undefined for one that has no endings: numbers, identifiers. */
export function languageTerm(word: string, language: LanguageNumber): string | undefined {
  const { stem, tag, script } = LANGUAGES[language]!;
  if (word.length < MIN_STEMMED_LENGTH || HAS_DIGIT.test(word)) return undefined;
  if (script ? !script.test(word) : NOT_ASCII.test(word)) return undefined;
  return stem(word) + tag;
}

/** The form of a word that others of the same root have in common; undefined in most languages. */
export function looseTerm(word: string, language: LanguageNumber): string | undefined {
  const { loose, script } = LANGUAGES[language]!;
  if (!loose || word.length < MIN_STEMMED_LENGTH || HAS_DIGIT.test(word) || !script!.test(word))
    return undefined;
  const stemmed = loose.stem(word);
  return stemmed === undefined ? undefined : stemmed + loose.tag;
}

/** The languages that write compounds as one word. */
export const COMPOUNDING_LANGUAGES = LANGUAGE_NUMBERS.filter((number) => LANGUAGES[number]!.joinsNouns);

const MIN_COMPOUND_PART = 4;

/**
 * The ways to read a word as two, as stems with the mark of their language; the sound between them is left to the stemmer:
 * Rechnung-s-datum. The best way comes first: the one with the longest second part, which is what the thing is.
 */
export function compoundParts(word: string, language: LanguageNumber): [string, string][] {
  const found: [string, string][] = [];
  for (let at = MIN_COMPOUND_PART; at <= word.length - MIN_COMPOUND_PART; at++) {
    const [head, tail] = [languageTerm(word.slice(0, at), language), languageTerm(word.slice(at), language)];
    if (head !== undefined && tail !== undefined) found.push([head, tail]);
  }
  return found;
}

/** The mark of a language on its stems. */
export const languageTag = (language: LanguageNumber): string => LANGUAGES[language]!.tag;

/** A term without the mark of its language, for people. */
export const untagged = (term: string): string => term.replace(/~.$/, '');

/** The languages whose marks are on any of these terms. */
export function languagesOf(terms: Iterable<string>): LanguageNumber[] {
  const tags = new Set(Array.from(terms, (term) => term.slice(-2)));
  return LANGUAGE_NUMBERS.filter((number) => tags.has(LANGUAGES[number]!.tag));
}
