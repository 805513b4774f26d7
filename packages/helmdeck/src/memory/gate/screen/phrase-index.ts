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
  /** The numbers of the words that the phrase needs: one of each set. */
  words: readonly (readonly number[])[];
}

/** A node of the trie of all words that phrases need. */
interface TrieNode {
  /** By letter, from a to z; the last one is for the end of a word. */
  next: (TrieNode | undefined)[];
  /** The number of the word that ends here, if phrases need it. */
  word?: number;
  /** The phrases that have this word in the rarest of the sets that they need. */
  phrases: IndexedPhrase[];
}

const FIRST_LETTER = 0x61;
const LETTERS = 26;
const SPACE = 0x20;
const TRIE = trieNode();
let wordCount = 0;
const PHRASES = [...SCREEN_RULES, ...SCREEN_CUES].flatMap((owner) =>
  (owner.flat ?? []).map((phrase) => indexed(phrase, owner)),
);
const PHRASES_WITHOUT_NEEDS = PHRASES.filter(({ needs }) => needs.length === 0);

function trieNode(): TrieNode {
  return { next: Array.from({ length: LETTERS + 1 }, () => undefined), phrases: [] };
}

function indexed(phrase: Phrase, owner: ScreenRule | Cue): IndexedPhrase {
  const nodes = phrase.needs.map((words) => words.map(nodeOf));
  const entry = { ...phrase, owner, words: nodes.map((set) => set.map(({ word }) => word!)) };
  for (const node of new Set(nodes[0])) node.phrases.push(entry);
  return entry;
}

function nodeOf(word: string): TrieNode {
  let node = TRIE;
  for (let at = 0; at < word.length; at++) node = node.next[letterAt(word, at)] ??= trieNode();
  node.word ??= wordCount++;
  return node;
}

/** 0 to 25 for a to z, 26 for everything else. */
function letterAt(text: string, at: number): number {
  const letter = text.charCodeAt(at) - FIRST_LETTER;
  return letter >= 0 && letter < LETTERS ? letter : LETTERS;
}

/** For each word the number of the last scan that found it: a new array for each text would take longer than the scan. */
const lastFound = new Float64Array(wordCount);
let scan = 0;

/** The phrases whose words the text contains: few of all of them. */
export function phrasesWorthTrying(flat: string): PhrasesByOwner {
  const isAscii = PRINTABLE_ASCII.test(flat);
  const found: PhrasesByOwner = new Map();
  for (const phrase of PHRASES_WITHOUT_NEEDS) if (!isAscii || phrase.asciiOnly) add(found, phrase);
  scan++;
  for (const { phrases } of scanWords(flat))
    for (const phrase of phrases) if (phrase.words.every(hasOneOf)) add(found, phrase);
  return found;
}

/** Notes which words are in the text; returns the nodes of those that are among the rarest of a phrase. */
function scanWords(flat: string): TrieNode[] {
  const opening: TrieNode[] = [];
  for (let start = 0; start < flat.length; start++) {
    let at = start;
    let letter = letterAt(flat, at);
    for (let node = TRIE.next[letter]; node; node = node.next[letter]) {
      if (node.word !== undefined && lastFound[node.word] !== scan) {
        lastFound[node.word] = scan;
        if (node.phrases.length > 0) opening.push(node);
      }
      // Only a space leads to the next word.
      if (letter === LETTERS && flat.charCodeAt(at) !== SPACE) break;
      letter = letterAt(flat, ++at);
    }
    while (letterAt(flat, start) !== LETTERS) start++;
  }
  return opening;
}

function hasOneOf(words: readonly number[]): boolean {
  return words.some((word) => lastFound[word] === scan);
}

function add(found: PhrasesByOwner, phrase: IndexedPhrase): void {
  const known = found.get(phrase.owner);
  if (!known) found.set(phrase.owner, [phrase]);
  else if (!known.includes(phrase)) known.push(phrase);
}
