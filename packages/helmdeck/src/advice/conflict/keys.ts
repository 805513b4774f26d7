import { senseOf } from './words.ts';

// Reads keys: the words that name a subject, and whether two keys are about different subjects.

/** Parts of keys that name the kind of entry, not its subject. */
const NOISE = new Set(
  `note notes fact facts memory memories info value rule rules item entry chat session message log logs misc general
   current my the count size number id key data detail details list update state how where`.split(/\s+/),
);
/** Topics under which the same fact may be filed: `house/rent` and `finance/rent` are the same rent. */
const TOPICS = new Set(
  `house home family finance money bills health medical travel trip trips work job office people person org
   organization team contacts project projects infra infrastructure ops operations devops deploy release build ci git
   repo code dev development engineering frontend backend web api db database security legal hr calendar schedule
   meeting meetings event events school kids food diet shopping car cars pets fitness gym hobby hobbies music tools
   tool stack node config environment docs documentation support billing customer customers design marketing
   sales runtime platform system agent assistant ui ux perf performance observability monitoring incident process
   policy plan test tests testing auth recipe recipes cooking`
    .trim()
    .split(/\s+/)
    .map((word) => senseOf(word).stem),
);
/** Under these, the other words of a key are attributes of the user, not subjects. */
const SELF_SCOPES = new Set(
  `preference preferences prefs pref personal me user settings setting style convention conventions about profile
   coding writing`.split(/\s+/),
);
const PART = /(?:19|20)\d\d-\d\d(?:-\d\d)?|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+\d*|\p{Lu}+\d*|\d+/gu;
const DATE = /^(?:19|20)\d\d/;
const DIGITS = /^\d/;
const RANDOM_ID = /(?=[0-9a-f-]*\d)[0-9a-f-]{12,}/g;
const MAX_KEY_CHARS = 200;
const MAX_WORDS = 16;

/** The stems of what a key names: `preferences/editorTheme` is about "editor" and "theme". */
export function keyWordsOf(key: string): string[] {
  const words: string[] = [];
  for (const [part] of key.slice(0, MAX_KEY_CHARS).replace(RANDOM_ID, ' ').matchAll(PART)) {
    const lower = part.toLowerCase();
    if (lower.length < 2 || NOISE.has(lower) || (DIGITS.test(lower) && !DATE.test(lower))) continue;
    if (SELF_SCOPES.has(lower)) continue;
    const { stem, role } = senseOf(lower);
    if (role === 'filler' || role === 'preposition' || words.includes(stem)) continue;
    words.push(stem);
    if (words.length >= MAX_WORDS) break;
  }
  return words;
}

/** The words of a key that may be a subject: neither a topic nor an attribute. */
export const subjectsAmong = (keyWords: readonly string[]) =>
  keyWords.filter((word) => !TOPICS.has(word) && !senseOf(word).singular);

interface Keyed {
  keyWords: readonly string[];
  keySubjects: readonly string[];
  all: ReadonlySet<string>;
}

/** Folders and names whose numbered entries stand side by side: the next one does not replace the last. */
const SERIES = new Set(
  `log journal diary note notiz step schritt meeting besprechung standup retro minutes sprint run build incident todo adr
   ticket chapter episode week woche day tag`.split(/\s+/),
);
const KEY_DATE = /(?:19|20)\d\d-\d\d(?:-\d\d)?/g;

/**
 * Whether two keys name different members of a series: the same but for a date (`journal/2026-02-01`) or a number, if the
 * key says that it counts (`log/17`) or the value names no subject itself (`hosts/web-1 ip` = "10.0.0.11").
 */
export function areOfOneSeries(a: string, b: string, hasSubject: boolean): boolean {
  const [datelessA, datelessB] = [a.replace(KEY_DATE, '#'), b.replace(KEY_DATE, '#')];
  if (a === b || datelessA.replace(/\d+/g, '#') !== datelessB.replace(/\d+/g, '#')) return false;
  if (datelessA === datelessB || !hasSubject) return true;
  return a.split(/[^\p{L}]+/u).some((word) => SERIES.has(word.toLowerCase().replace(/s$/, '')));
}

/**
 * Whether two keys follow one pattern with different subjects: `env/staging/replicas` and `env/prod/replicas` have a word
 * in the same place, and each has a word that does not occur in the other statement at all.
 */
export function areParallelKeys(a: Keyed, b: Keyed): boolean {
  if (!hasOwnSubject(a, b) || !hasOwnSubject(b, a)) return false;
  return a.keyWords.some(
    (word, at) => b.keyWords[at] === word || b.keyWords[b.keyWords.length - a.keyWords.length + at] === word,
  );
}

const hasOwnSubject = (one: Keyed, other: Keyed) => one.keySubjects.some((word) => !other.all.has(word));
