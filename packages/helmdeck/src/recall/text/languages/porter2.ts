// The Porter 2 ("Snowball English") stemmer, written out by suffix: an index stems every new word, and with regular
// expressions that was the most expensive part of building one. https://snowballstem.org/algorithms/english/stemmer.html

const VOWELS = 'aeiouy';
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
const LI_ENDINGS = 'cdeghkmnrt';
const EXCEPTIONS = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
);
const UNCHANGED = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes']);
const DONE_EARLY = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));
const PREFIXES = ['gener', 'commun', 'arsen'];

/** Longest first: the longest suffix that matches is the one to replace. */
const STEP_2: readonly [string, string][] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];
const STEP_3: readonly [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ');

/** The stem of a lower-case word of a to z and apostrophes. */
export function porter2(given: string): string {
  if (given.length < 3) return given;
  const exception = EXCEPTIONS.get(given);
  if (exception !== undefined) return exception;
  if (UNCHANGED.has(given)) return given;
  let word = markConsonantY(given.replace(/^'/, ''));
  const r1 = firstRegion(word);
  const r2 = regionAfter(word, r1);
  word = step1a(word.replace(/'(?:s'?)?$/, ''));
  if (DONE_EARLY.has(word)) return word.replaceAll('Y', 'y');
  word = step1c(step1b(word, r1));
  word = step4(step3(step2(word, r1), r1, r2), r2);
  return step5(word, r1, r2).replaceAll('Y', 'y');
}

const isVowel = (word: string, at: number) => VOWELS.includes(word[at] ?? '-');

/** A `y` at the start or after a vowel is a consonant, written `Y` until the end. */
function markConsonantY(word: string): string {
  if (!word.includes('y')) return word;
  let marked = '';
  for (let at = 0; at < word.length; at++) {
    marked += word[at] === 'y' && (at === 0 || isVowel(marked, at - 1)) ? 'Y' : word[at];
  }
  return marked;
}

function firstRegion(word: string): number {
  const prefix = PREFIXES.find((each) => word.startsWith(each));
  return prefix ? prefix.length : regionAfter(word, 0);
}

/** Where the region after the first consonant that follows a vowel begins (R1 and R2 in the specification). */
function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at++) {
    if (!isVowel(word, at) && isVowel(word, at - 1)) return at + 1;
  }
  return word.length;
}

const hasVowel = (word: string, end: number) => {
  for (let at = 0; at < end; at++) if (isVowel(word, at)) return true;
  return false;
};

/** Whether a word ends in a short syllable: `rap`, `trap`, `ow`, but not `uproot` or `bestow`. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return isVowel(word, 0) && !isVowel(word, 1);
  const closed = last > 1 && !isVowel(word, last) && !'wxY'.includes(word[last]!);
  return closed && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

function step1a(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word;
  return hasVowel(word, word.length - 2) ? word.slice(0, -1) : word;
}

function step1b(word: string, r1: number): string {
  for (const suffix of ['eedly', 'eed']) {
    if (!word.endsWith(suffix)) continue;
    const start = word.length - suffix.length;
    return start >= r1 ? `${word.slice(0, start)}ee` : word;
  }
  for (const suffix of ['ingly', 'edly', 'ing', 'ed']) {
    if (!word.endsWith(suffix)) continue;
    const start = word.length - suffix.length;
    return hasVowel(word, start) ? restoreEnding(word.slice(0, start), r1) : word;
  }
  return word;
}

/** Repairs a stem after `-ed` or `-ing`: `hop(p)`, `luxuriat(e)`. */
function restoreEnding(word: string, r1: number): string {
  const ending = word.slice(-2);
  if (ending === 'at' || ending === 'bl' || ending === 'iz') return `${word}e`;
  // Three letters such as "add", "egg" and "off" are words already.
  if (DOUBLES.has(ending)) return word.length === 3 && 'aeo'.includes(word[0]!) ? word : word.slice(0, -1);
  return r1 >= word.length && endsShort(word) ? `${word}e` : word;
}

function step1c(word: string): string {
  const last = word.length - 1;
  const isY = word[last] === 'y' || word[last] === 'Y';
  return isY && last > 1 && !isVowel(word, last - 1) ? `${word.slice(0, -1)}i` : word;
}

function step2(word: string, r1: number): string {
  for (const [suffix, replacement] of STEP_2) {
    if (!word.endsWith(suffix)) continue;
    const start = word.length - suffix.length;
    if (start < r1) return word;
    const before = word[start - 1] ?? '';
    if (suffix === 'ogi' && before !== 'l') return word;
    if (suffix === 'li' && !LI_ENDINGS.includes(before)) return word;
    return word.slice(0, start) + replacement;
  }
  return word;
}

function step3(word: string, r1: number, r2: number): string {
  for (const [suffix, replacement] of STEP_3) {
    if (!word.endsWith(suffix)) continue;
    const start = word.length - suffix.length;
    return start < (suffix === 'ative' ? r2 : r1) ? word : word.slice(0, start) + replacement;
  }
  return word;
}

function step4(word: string, r2: number): string {
  for (const suffix of STEP_4) {
    if (!word.endsWith(suffix)) continue;
    const start = word.length - suffix.length;
    if (start < r2) return word;
    return suffix === 'ion' && !'st'.includes(word[start - 1] ?? '-') ? word : word.slice(0, start);
  }
  return word;
}

function step5(word: string, r1: number, r2: number): string {
  const start = word.length - 1;
  if (word[start] === 'e') {
    const isDropped = start >= r2 || (start >= r1 && !endsShort(word.slice(0, start)));
    return isDropped ? word.slice(0, start) : word;
  }
  return word[start] === 'l' && start >= r2 && word[start - 1] === 'l' ? word.slice(0, start) : word;
}
