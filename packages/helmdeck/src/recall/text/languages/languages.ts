import {
  arabic,
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

// The languages beside English whose words are also indexed by stems of their own. Which language a fact is in shows in
// its function words; a question is looked up in all of them, because a few words need not have any.

interface Language {
  /** Marks its stems in the index: no word of a text contains a tilde. */
  tag: string;
  stem: Stemmer;
  /** Words that hardly a sentence does without and that are not English; folded. */
  functionWords: string;
  /** Writes compounds as one word: Datenbankpasswort. */
  joinsNouns?: true;
  /** Letters that point to it. */
  letters?: RegExp;
  /** The script it is alone in, here: no function word is needed. */
  script?: RegExp;
}

const LANGUAGES: readonly Language[] = [
  {
    tag: '~d',
    stem: german,
    joinsNouns: true,
    letters: /ß/,
    functionWords: `der das und ist nicht ein eine einen einem einer wir ich mit fur auf von zu im den dem sich auch wird
      sind bei oder wie wer wo wann unser unsere unserer unseren mein meine meinen nach zum zur aus uber kein keine werden
      hat haben immer nur jeden jede welche welcher welches vom muss mussen soll sollen darf kann wenn dass als er sie ihr
      uns heisst gibt liegt wurde`,
  },
  {
    tag: '~f',
    stem: french,
    letters: /[œëïû]/,
    functionWords: `le la les des du un une et est dans pour sur avec par que qui ne pas nous notre nos vous je il elle sont
      au aux ce cette ces mon ma mes ou quand comment quel quelle quels quelles chez sans se leur etre fait tous toutes
      faut doit`,
  },
  {
    tag: '~e',
    stem: spanish,
    letters: /[ñ¿¡]/,
    functionWords: `el la los las un una unos y es en de del que con para por se no mi mis su sus nuestro nuestra como cuando
      donde quien cual cuales esta estan son al lo le les muy todos todas cada siempre nunca hay tiene ser hace debe`,
  },
  {
    tag: '~i',
    stem: italian,
    letters: /[ìò]/,
    functionWords: `il lo la gli un una uno e di del della dei delle degli che con per non si sono nel nella nei al alla ai
      mio mia nostro nostra come quando dove chi quale quali ogni sempre mai su sul sulla da dal dalla ha abbiamo deve`,
  },
  {
    tag: '~p',
    stem: portuguese,
    letters: /[ãõ]/,
    functionWords: `o os as um uma e de do da dos das em no na nos nas que com para por nao se meu minha nosso nossa como
      quando onde quem qual quais cada sempre nunca ao aos sao esta estao ser tem foi pelo pela deve`,
  },
  {
    tag: '~n',
    stem: dutch,
    joinsNouns: true,
    functionWords: `het een en van dat niet voor met zijn ons onze mijn wij ik je hij wordt worden naar bij ook uit wie wat
      waar wanneer welke hoe elke altijd nooit moet moeten geen deze dit aan op om maar heeft hebben kan te`,
  },
  {
    tag: '~t',
    stem: turkish,
    letters: /[ğşıİ]/,
    functionWords: `ve bir bu icin ile da de mi mu ne cok daha gibi kadar her hic nasil nerede kim hangi olan olarak var yok
      degil bizim benim sonra once ama ya biz ben nedir`,
  },
  {
    tag: '~r',
    stem: russian,
    script: /[\u0400-\u04ff]/,
    functionWords: `и в во не на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
      о из ему что это для мы наш наша наше мои моя где когда кто какои какая какие каком при до после или`,
  },
  {
    tag: '~a',
    stem: arabic,
    script: /[\u0600-\u06ff]/,
    functionWords:
      'في من على الى إلى عن مع هذا هذه هو هي ما ماذا متى اين أين كيف كل أن ان لا و التي الذي كم هل لم لن قد',
  },
];

/** The languages of which a word is a function word, a bit each. */
const MASKS = new Map<string, number>();
for (const [number, { functionWords }] of LANGUAGES.entries()) {
  for (const word of functionWords.trim().split(/\s+/))
    MASKS.set(word, (MASKS.get(word) ?? 0) | (1 << number));
}

/** Index of a language in the table, -1 for English and all others. */
export type LanguageNumber = number;
export const NO_LANGUAGE: LanguageNumber = -1;
export const LANGUAGE_NUMBERS: readonly LanguageNumber[] = LANGUAGES.map((_, number) => number);

/** Guesses the language of a text from its words as they come. One function word of a language is enough, if English has fewer. */
export interface LanguageGuess {
  add(word: string, isEnglishStopWord: boolean): void;
  /** `text` is what the words are from. */
  finish(text: string): LanguageNumber;
}

const NOT_ASCII = /[^\0-\x7f]/;

export function createLanguageGuess(): LanguageGuess {
  const votes = new Int32Array(LANGUAGES.length);
  let english = 0;
  let hasVotes = false;
  return {
    add(word, isEnglishStopWord) {
      const mask = MASKS.get(word);
      if (mask !== undefined) {
        hasVotes = true;
        for (let number = 0; number < LANGUAGES.length; number++) votes[number]! += (mask >>> number) & 1;
      } else if (isEnglishStopWord) english++;
    },
    finish(text) {
      let best = NO_LANGUAGE;
      if (NOT_ASCII.test(text)) {
        best = LANGUAGES.findIndex(({ script }) => script?.test(text));
        for (const [number, { letters }] of LANGUAGES.entries()) {
          if (letters?.test(text)) [votes[number]!, hasVotes] = [votes[number]! + 1, true];
        }
      }
      if (best === NO_LANGUAGE && hasVotes) {
        for (const number of LANGUAGE_NUMBERS) {
          if (votes[number]! > english && votes[number]! > (votes[best] ?? 0)) best = number;
        }
      }
      votes.fill(0);
      english = 0;
      hasVotes = false;
      return best;
    },
  };
}

/** Whether a word says nothing in a language. */
export const isFunctionWord = (word: string, language: LanguageNumber): boolean =>
  language !== NO_LANGUAGE && ((MASKS.get(word) ?? 0) >>> language) % 2 === 1;

const MIN_STEMMED_LENGTH = 3;
const HAS_DIGIT = /\d/;

/** The term by which a word is indexed in a language; undefined for one that has no endings: numbers, identifiers. */
export function languageTerm(word: string, language: LanguageNumber): string | undefined {
  const { stem, tag, script } = LANGUAGES[language]!;
  if (word.length < MIN_STEMMED_LENGTH || HAS_DIGIT.test(word)) return undefined;
  if (script ? !script.test(word) : NOT_ASCII.test(word)) return undefined;
  return stem(word) + tag;
}

/** The languages that write compounds as one word. */
export const COMPOUNDING_LANGUAGES = LANGUAGE_NUMBERS.filter((number) => LANGUAGES[number]!.joinsNouns);

const MIN_COMPOUND_PART = 4;

/** The ways to read a word as two, with the sound between them left to the stemmer: Rechnung-s-datum. */
export function compoundParts(word: string, language: LanguageNumber): [string, string][] {
  const found: [string, string][] = [];
  for (let at = MIN_COMPOUND_PART; at <= word.length - MIN_COMPOUND_PART; at++) {
    const [head, tail] = [languageTerm(word.slice(0, at), language), languageTerm(word.slice(at), language)];
    if (head !== undefined && tail !== undefined) found.push([head, tail]);
  }
  return found;
}

/** A term without the mark of its language, for people. */
export const untagged = (term: string): string => term.replace(/~.$/, '');

/** The languages whose marks are on any of these terms. */
export function languagesOf(terms: Iterable<string>): LanguageNumber[] {
  const tags = new Set(Array.from(terms, (term) => term.slice(-2)));
  return LANGUAGE_NUMBERS.filter((number) => tags.has(LANGUAGES[number]!.tag));
}
