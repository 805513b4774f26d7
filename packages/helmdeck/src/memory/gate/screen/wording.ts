// Weighs the words of a text: each says little, but together they tell an order to a model from a fact.

import { stemOf } from './word-stem.ts';
import {
  ENOUGH_WORDING,
  MARK_WEIGHTS,
  OPENING_WORDS,
  ORDER_WORDS,
  WORD_SIGNS,
  WORDING_BASE,
} from './wording-signs.ts';
import { WORD_WEIGHTS } from './wording-weights.ts';

/** Sentences that are weighed together: an order and its reason often stand apart. */
const WINDOW_SENTENCES = 3;
/** A longer sentence is weighed in parts, so that a text without full stops does not add up. */
const MOST_WORDS = 40;
const SHORTEST_CAPITALS = 4;
/** "Never … without" denies what stands between; further apart it is another clause. */
const DENIAL_WORDS = 12;

interface Word {
  /** What it adds to a window, once: indices into `WEIGHTS`. */
  features: readonly number[];
  /** An order may begin with it. */
  isOrder: boolean;
  /** What follows it still begins a clause. */
  isOpening: boolean;
  /** "never", and "without" after it: the sentence asks for the opposite of what an attack asks for. */
  denial?: 'never' | 'without';
}

const MARKS = Object.keys(MARK_WEIGHTS) as (keyof typeof MARK_WEIGHTS)[];
const WEIGHTS: number[] = MARKS.map((mark) => MARK_WEIGHTS[mark]);
const markOf = (mark: keyof typeof MARK_WEIGHTS) => MARKS.indexOf(mark);
const ORDER = markOf('order');
const WEB = markOf('web');
const MAIL = markOf('mail');
const CAPITALS = markOf('capitals');
const TAG = markOf('tag');
const QUESTION = markOf('question');
const PATH = markOf('path');

/** Words without their endings, by hash: 32 bits are plenty for a few thousand. */
const WORDS = new Map<number, Word>();
const IDEOGRAPHS: { feature: number; pattern: RegExp }[] = [];
for (const { weight, words, ideographs } of WORD_SIGNS) {
  const feature = WEIGHTS.push(weight) - 1;
  for (const word of listed(words)) addWord(word, { features: [feature] });
  if (ideographs) IDEOGRAPHS.push({ feature, pattern: ideographs });
}
for (const [weight, words] of WORD_WEIGHTS)
  for (const word of listed(words)) addWord(word, { features: [WEIGHTS.push(weight) - 1] });
for (const word of listed(ORDER_WORDS)) addWord(word, { isOrder: true });
for (const word of listed(OPENING_WORDS)) addWord(word, { isOpening: true });
for (const word of listed('never not don nie niemals nicht jamais ne nunca no никогда не'))
  addWord(word, { denial: 'never' });
for (const word of listed('without unless ohne sans sin без')) addWord(word, { denial: 'without' });

function listed(words: string): string[] {
  return words.split(/\s+/).filter(Boolean);
}

function addWord(word: string, { features = [], ...flags }: Partial<Word>): void {
  const key = stemOf(word, 0, word.length);
  const known = WORDS.get(key) ?? { features: [], isOrder: false, isOpening: false };
  WORDS.set(key, { ...known, ...flags, features: [...new Set([...known.features, ...features])] });
}

/** Whether the words of a few sentences are, together, those of an order to a model. */
export function readsAsOrder(text: string): boolean {
  const sentences = sentencesOf(text, (key) => WORDS.get(key));
  return sentences.some(
    (sentence, index) =>
      weightOf([sentence]) >= ENOUGH_WORDING ||
      (index > 0 &&
        weightOf(sentences.slice(Math.max(0, index + 1 - WINDOW_SENTENCES), index + 1)) >= ENOUGH_WORDING),
  );
}

/** For each feature the number of the last window that counted it. */
const lastCounted = new Float64Array(WEIGHTS.length);
let windows = 0;

function weightOf(sentences: readonly (readonly number[])[]): number {
  windows++;
  let weight = WORDING_BASE;
  for (const sentence of sentences) {
    for (const feature of sentence) {
      if (lastCounted[feature] !== windows) weight += WEIGHTS[feature]!;
      lastCounted[feature] = windows;
    }
  }
  return weight;
}

const LETTER = 1;
const CAPITAL = 2;
const CLAUSE_END = 4;
const SENTENCE_END = 8;
const ELISION = 16;
const IDENTIFIER = 32;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const is = (shape: RegExp, bit: number) => (shape.test(character) ? bit : 0);
  return (
    is(/[A-Za-z]/, LETTER) |
    is(/[A-Z]/, CAPITAL) |
    is(/[0-9_]/, IDENTIFIER) |
    is(/[,(["'*:>`-]/, CLAUSE_END) |
    is(/[.!?;\n]/, SENTENCE_END) |
    is(/'/, ELISION)
  );
});
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7ff;
const IDEOGRAPHIC_STOPS = /[。！？；\n]/;

/** The features of each sentence, in the order of the text. */
function sentencesOf(text: string, find: (key: number) => Word | undefined): number[][] {
  const sentences: number[][] = [];
  let features: number[] = [];
  let words = 0;
  let capitals = 0;
  let beginsClause = true;
  let hasIdeographs = false;
  let deniedUntil = -1;
  const endSentence = () => {
    if (capitals > 1) features.push(CAPITALS);
    if (features.length > 0) sentences.push(features);
    features = [];
    words = 0;
    capitals = 0;
    beginsClause = true;
    deniedUntil = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const classes = code < 128 ? CLASSES[code]! : LETTER;
    if (classes & (LETTER | IDENTIFIER)) {
      const start = at;
      if (code >= FIRST_IDEOGRAPH && code <= LAST_IDEOGRAPH) hasIdeographs = true;
      let isCapital = true;
      let isWord = true;
      for (; at < text.length; at++) {
        const letter = text.charCodeAt(at);
        if (letter < 128 && !(CLASSES[letter]! & (LETTER | IDENTIFIER))) break;
        // An identifier has no words: neither `rm` in `1rm3m1` nor `user` in `user_facts`.
        if (letter < 128 && CLASSES[letter]! & IDENTIFIER) isWord = false;
        if (letter >= 128 || !(CLASSES[letter]! & CAPITAL)) isCapital = false;
      }
      if (isCapital && isWord && at - start >= SHORTEST_CAPITALS) capitals++;
      const word = isWord ? find(stemOf(text, start, at)) : undefined;
      at--;
      if (word) {
        for (const feature of word.features) features.push(feature);
        if (beginsClause && word.isOrder) features.push(ORDER);
        if (word.denial === 'never') deniedUntil = words + DENIAL_WORDS;
        if (words < deniedUntil && word.denial === 'without') features = [];
      }
      beginsClause = beginsClause && word?.isOpening === true;
      if (++words === MOST_WORDS) endSentence();
    } else if (classes & SENTENCE_END) {
      const next = text.charCodeAt(at + 1);
      const endsHere = classes === SENTENCE_END && (code === 10 || !(next > 32));
      if (code === 63 && endsHere) features.push(QUESTION);
      if (endsHere) endSentence();
      else if (code === 46 && isSecretFile(text, at)) features.push(PATH);
    } else if (classes & CLAUSE_END) {
      if (code !== 39 || !isLetterBefore(text, at)) beginsClause = true;
      if (code === 58 && text.startsWith('//', at + 1)) features.push(WEB);
    } else if (code === 64) {
      if (isLetterBefore(text, at)) features.push(MAIL);
    } else if (code === 47) {
      if (text.startsWith('etc/', at + 1) || text.charCodeAt(at - 1) === 126) features.push(PATH);
    } else if (code === 60 || code === 91 || code === 123) {
      if (TAG_NAME.test(text.slice(at, at + 24))) features.push(TAG);
    }
  }
  endSentence();
  return hasIdeographs ? [...sentences, ...ideographicSentences(text)] : sentences;
}

const TAG_NAME =
  /^[<[{]{1,3}\/?\s?(?:system|admin|assistant|important|user|instruction|hidden|inst|override|note|new)/i;

/** `.env`, but neither `settings.env` nor `.env.example`. */
function isSecretFile(text: string, at: number): boolean {
  if (isLetterBefore(text, at) || !SECRET_FILES.includes(text.slice(at + 1, at + 4))) return false;
  const next = text.charCodeAt(at + 4);
  return next !== 46 && !(next < 128 && CLASSES[next]! & LETTER);
}

const SECRET_FILES = ['ssh', 'env', 'aws'];

function isLetterBefore(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return code >= 128 || (code < 128 && (CLASSES[code]! & LETTER) !== 0);
}

/** Scripts without spaces: their words are looked for anywhere in a sentence. */
function ideographicSentences(text: string): number[][] {
  return text
    .split(IDEOGRAPHIC_STOPS)
    .map((sentence) =>
      IDEOGRAPHS.filter(({ pattern }) => pattern.test(sentence)).map(({ feature }) => feature),
    )
    .filter((features) => features.length > 0);
}
