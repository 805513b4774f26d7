// Which phrases of the screen are worth trying on a text: those with a word that the text contains.

import { SPEECH_ACTS } from './screen-acts.ts';
import type { Cue } from './screen-cues.ts';
import type { Phrase, ScreenRule } from './screen-phrases.ts';
import { SCREEN_RULES } from './screen-rules.ts';
import { WEAK_SIGNS } from './screen-signs.ts';

/** The heaviest first: it names the finding. */
export const SCREEN_CUES: readonly Cue[] = [...SPEECH_ACTS, ...WEAK_SIGNS];

/** The phrases that are worth trying, by the rule or cue that has them. */
export type PhrasesByOwner = Map<ScreenRule | Cue, Phrase[]>;

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

interface IndexedPhrase extends Phrase {
  owner: ScreenRule | Cue;
  /** The nodes of the words that the phrase needs: one of each set. */
  words: readonly (readonly number[])[];
}

const FIRST_LETTER = 0x61;
const LETTERS = 26;
/** From a to z; the last one is for the end of a word. */
const WIDTH = LETTERS + 1;
/** The bit that makes an ASCII letter a small one. */
const LOWER_CASE = 0x20;
const ROOT = 0;

/** The trie of all words that phrases need: the next node of each node by letter, 0 for none. */
const nodes: number[][] = [new Array<number>(WIDTH).fill(0)];
/** The phrases that have the word of a node in the rarest of the sets that they need. */
const phrasesOfNode = new Map<number, IndexedPhrase[]>();
const neededNodes = new Set<number>();
const PHRASES = [...SCREEN_RULES, ...SCREEN_CUES].flatMap((owner) =>
  (owner.flat ?? []).map((phrase) => indexed(phrase, owner)),
);
const WITHOUT_NEEDS = PHRASES.filter(({ needs }) => needs.length === 0);
const ASCII_WITHOUT_NEEDS = WITHOUT_NEEDS.filter(({ asciiOnly }) => asciiOnly);

function indexed(phrase: Phrase, owner: ScreenRule | Cue): IndexedPhrase {
  const entry = { ...phrase, owner, words: phrase.needs.map((words) => words.map(nodeOf)) };
  for (const node of new Set(entry.words[0])) {
    const others = phrasesOfNode.get(node);
    if (others) others.push(entry);
    else phrasesOfNode.set(node, [entry]);
  }
  return entry;
}

function nodeOf(word: string): number {
  let node = ROOT;
  for (let at = 0; at < word.length; at++) {
    const letter = letterAt(word, at);
    if (nodes[node]![letter] === 0) nodes[node]![letter] = nodes.push(new Array<number>(WIDTH).fill(0)) - 1;
    node = nodes[node]![letter]!;
  }
  neededNodes.add(node);
  return node;
}

/** 0 to 25 for a to z in either case, 26 for everything else. */
function letterAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const letter = (code | LOWER_CASE) - FIRST_LETTER;
  return letter >= 0 && letter < LETTERS && code < 128 ? letter : LETTERS;
}

/** The trie as one table, which a scan reads far faster than objects. */
const NEXT = Int32Array.from(nodes.flat());
const IS_NEEDED = Uint8Array.from(nodes, (_, node) => (neededNodes.has(node) ? 1 : 0));

/** For each node the number of the last scan that found its word: a new array for each text would take longer than the scan. */
const lastFound = new Float64Array(nodes.length);
let scan = 0;

const NO_PHRASES: PhrasesByOwner = new Map();

/** The phrases whose words the text contains: few of all of them. */
export function phrasesWorthTrying(flat: string): PhrasesByOwner {
  scan++;
  const opening = scanWords(flat);
  const withoutNeeds = PRINTABLE_ASCII.test(flat) ? ASCII_WITHOUT_NEEDS : WITHOUT_NEEDS;
  if (opening.length === 0 && withoutNeeds.length === 0) return NO_PHRASES;
  const found: PhrasesByOwner = new Map();
  for (const phrase of withoutNeeds) add(found, phrase);
  for (const node of opening)
    for (const phrase of phrasesOfNode.get(node)!) if (phrase.words.every(hasOneOf)) add(found, phrase);
  return found;
}

/**
 * The weight of the cues that the phrases of a text may add up to, without flattening it first; `Infinity` if a rule
 * may be met.
 */
export function possibleWeightOfPhrases(plain: string): number {
  scan++;
  let weight = 0;
  for (const node of scanWords(plain)) {
    for (const { owner, words } of phrasesOfNode.get(node)!) {
      if (!words.every(hasOneOf)) continue;
      if (!('weight' in owner)) return Number.POSITIVE_INFINITY;
      if (lastCounted.get(owner) !== scan) weight += owner.weight;
      lastCounted.set(owner, scan);
    }
  }
  return weight;
}

/** For each cue the number of the last scan that counted it. */
const lastCounted = new Map<Cue, number>();

/** What is one space in the flat form of a text. */
const IS_GAP = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\s_-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Notes which words are in the text; returns the nodes of those that are among the rarest of a phrase. */
function scanWords(text: string): number[] {
  const opening: number[] = [];
  const end = text.length;
  for (let start = 0; start < end; start++) {
    let at = start;
    let letter = letterAt(text, at);
    for (let node = NEXT[letter]!; node !== 0; node = NEXT[node * WIDTH + letter]!) {
      if (IS_NEEDED[node] === 1 && lastFound[node] !== scan) {
        lastFound[node] = scan;
        if (phrasesOfNode.has(node)) opening.push(node);
      }
      if (letter === LETTERS) {
        // Only a gap leads to the next word.
        if (IS_GAP[text.charCodeAt(at)] !== 1) break;
        while (IS_GAP[text.charCodeAt(at + 1)] === 1) at++;
      }
      letter = letterAt(text, ++at);
    }
    while (letterAt(text, start) !== LETTERS) start++;
  }
  return opening;
}

function hasOneOf(words: readonly number[]): boolean {
  return words.some((node) => lastFound[node] === scan);
}

function add(found: PhrasesByOwner, phrase: IndexedPhrase): void {
  const known = found.get(phrase.owner);
  if (!known) found.set(phrase.owner, [phrase]);
  else if (!known.includes(phrase)) known.push(phrase);
}
