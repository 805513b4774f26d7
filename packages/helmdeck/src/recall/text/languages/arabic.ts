import { ending, type Stemmer } from './light-stemmers.ts';

const VOWEL_MARKS = /[\u064b-\u065f\u0670\u0640]/g;
/** The article with what is written before it as one word, and the conjunction alone. */
const ARTICLE = /^(?:[وف]?[بك]?ال(?=.{2})|[وف]?لل(?=.{2})|و(?=.{3}))/;
const endings = ending('ها هم هن كم نا ان ات ون ين وا ته تها ية يه ه ة ي ت ا', 3);

/** Vowel marks, spellings of alef and ya, conjunction and article in front, pronoun and number behind. */
export const arabic: Stemmer = (word) => {
  const plain = word
    .replace(VOWEL_MARKS, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ؤ/g, 'و')
    .replace(/ئ/g, 'ي');
  return endings(endings(plain.replace(ARTICLE, '')));
};

/** A preposition or conjunction of one letter; most words that begin with these letters have them in the root. */
const CLITIC = /^[وف]?[بلكف](?=.{3})/;
const PREFIX = /^(?:[يتنام]?ست(?=.{3})|[يتنام](?=.{2}))/;
const LONG_VOWELS = /(?<=.)[اوي]/g;
const MIN_CONSONANTS = 2;

/**
 * About the consonants of the root: plurals and verbs change the vowels between them (مكتب, مكاتب; رسل, أرسل, يرسل), and
 * prefixes cannot be told from roots without a dictionary.
 */
export function arabicConsonants(word: string): string | undefined {
  const stem = arabic(word);
  const bare = stem.replace(CLITIC, '').replace(PREFIX, '');
  const consonants = bare.replace(LONG_VOWELS, '');
  return consonants.length >= MIN_CONSONANTS ? consonants : undefined;
}
