import type { Why } from '../ranking/explain.ts';
import type { Hit } from '../search.ts';
import { GENERIC_WORDS } from '../text/stop-words.ts';
import { isOrdinary } from './ordinary-words.ts';
import type { Locality, PromptQuestion, Subject } from './prompt-questions.ts';

// Decides which hits are worth interrupting a prompt for. A search answers a person who asked the memory; a prompt mostly
// did not, so a hit needs more than the score that a search needs.

/**
 * What a hit needs, by what the question is about. Who asks about their own things most likely means the memory, and is
 * told what a search would not be sure of; the rest needs more the less it looks like that. Chosen so that 97 % of
 * the unrelated prompts in test/prompt-notes/unrelated-development.txt stay without a note.
 */
const MIN_SCORES: Record<Subject, number> = {
  own: 0.22,
  unknown: 0.22,
  world: 0.42,
  general: 0.55,
  definition: 0.7,
};
/** What a part of a longer prompt needs that is neither a question nor about the person. */
const MIN_ASIDE_SCORE = 0.3;
/** What a question about the person's own things needs whose only words in the fact are ordinary: "which gym do I go to". */
const MIN_OWN_ORDINARY_SCORE = 0.26;
/** What ordinary words alone need that are all of the question: "build tool". */
const MIN_WHOLE_SCORE = 0.5;
/** In a longer prompt not every part is meant. */
const FEW_PARTS = 3;
/** A weaker hit beside a much stronger one of the same question is noise. */
const MIN_SHARE_OF_BEST = 0.6;
/** Hits with at least this share of the best score count as equally good. */
const EQUAL_SHARE = 0.85;
const MAX_EQUAL_HITS = 4;
const MIN_SPELLED_CHARS = 6;

/**
 * What nearness in meaning adds to the words of a hit here. A search gives it up to twice as much, to order what it found;
 * a prompt that is merely about something near is not a question to the memory.
 */
const MEANING_SHARE = 0.2;
/**
 * A local question gets the best facts of a search, in whatever words, if the nearest in meaning is at least this near. In
 * test/prompt-notes this tells questions asked in other words from those about things never stored as well as words can.
 */
const MIN_NEARNESS: Record<Locality, number> = {
  local: 0.37,
  unclear: 0.52,
  universal: Number.POSITIVE_INFINITY,
};
/** Facts with at least this share of the best nearness count as equally near. */
const EQUALLY_NEAR_SHARE = 0.9;
/** A hit of this strength is the answer: others of the same search would be beside the point. */
const CLEAR_STRENGTH = 0.45;
/**
 * Where no hit is clear, so many of a search are said: of questions in other words, twice as many have their fact among
 * the first five as have it first.
 */
const MAX_UNCLEAR_HITS = 5;

/** A hit that is worth saying, and the question that found it. */
export interface ChosenHit<H extends Hit = Hit> {
  hit: H;
  question: PromptQuestion;
}

/** A hit with how well it fits the question, from 0 to about 1. */
interface Fit<H extends Hit = Hit> {
  hit: H;
  strength: number;
}

/** The hits that are worth saying, best first, each fact once. `hits` are those of each question, with their `why`. */
export function chooseWorthSaying<H extends Hit>(
  questions: readonly PromptQuestion[],
  hits: readonly (readonly H[])[],
): ChosenHit<H>[] {
  const best = new Map<string, ChosenHit<H> & Fit<H>>();
  for (const [at, question] of questions.entries()) {
    const fits = fitsOf(hits[at]!);
    for (const fit of fits) {
      if (!isAmongBest(fit, fits, question, questions.length)) continue;
      const { key } = fit.hit.document;
      if ((best.get(key)?.strength ?? -1) < fit.strength) best.set(key, { ...fit, question });
    }
  }
  const chosen = [...best.values()].sort((a, b) => b.strength - a.strength);
  if (chosen.length > 0 && chosen[0]!.strength >= CLEAR_STRENGTH) return chosen;
  const question = chosen[0]?.question ?? nearestQuestion(questions, hits);
  if (!question) return [];
  const others = hits[questions.indexOf(question)]!.slice(0, MAX_UNCLEAR_HITS);
  return [
    ...chosen,
    ...others.filter(({ document }) => !best.has(document.key)).map((hit) => ({ hit, question })),
  ];
}

const fitsOf = <H extends Hit>(hits: readonly H[]): Fit<H>[] =>
  hits
    .map((hit) => ({ hit, strength: hit.byWords + MEANING_SHARE * meaningOf(hit) }))
    .sort((a, b) => b.strength - a.strength);

const meaningOf = ({ why }: Hit) => why?.meaning ?? 0;

/** The question that has the facts nearest in meaning, if it is one that they are likely to answer. */
function nearestQuestion(
  questions: readonly PromptQuestion[],
  hits: readonly (readonly Hit[])[],
): PromptQuestion | undefined {
  const margins = questions.map(({ locality }, at) => {
    const nearness = hits[at]!.map(meaningOf);
    const best = Math.max(0, ...nearness);
    // In a large memory many facts are near to anything, none nearer than the others.
    const equal = nearness.filter((each) => each >= best * EQUALLY_NEAR_SHARE);
    return equal.length > MAX_EQUAL_HITS ? -1 : best - MIN_NEARNESS[locality];
  });
  const margin = Math.max(...margins);
  return margin >= 0 ? questions[margins.indexOf(margin)] : undefined;
}

function isAmongBest(fit: Fit, fits: readonly Fit[], question: PromptQuestion, parts: number): boolean {
  const best = fits[0]!.strength;
  // Many facts fit equally well: the question names a field, not one of them.
  const isVague = fits.filter(({ strength }) => strength >= best * EQUAL_SHARE).length > MAX_EQUAL_HITS;
  return !isVague && fit.strength >= best * MIN_SHARE_OF_BEST && isWorthSaying(fit, question, parts);
}

function isWorthSaying({ hit: { why }, strength }: Fit, question: PromptQuestion, parts: number): boolean {
  if (!why) return false;
  const { subject, isQuestion } = question;
  const { specific, ordinary, missing } = wordsOf(why);
  if (specific === 0) {
    if (subject === 'own') return strength >= MIN_OWN_ORDINARY_SCORE;
    return missing === 0 && ordinary > 1 && subject === 'unknown' && strength >= MIN_WHOLE_SCORE;
  }
  const isAside = subject === 'unknown' && !isQuestion && parts > FEW_PARTS;
  return strength >= (isAside ? MIN_ASIDE_SCORE : MIN_SCORES[subject]);
}

/** How many words of the question the hit has, by what they say about its subject; synonyms do not count. */
function wordsOf({ terms, missing }: Why) {
  let specific = 0;
  let ordinary = 0;
  for (const { word, via } of terms) {
    if (via === 'meaning' || GENERIC_WORDS.has(word)) continue;
    if (word.length < 3 && !/\d/.test(word)) continue;
    if (/^\d{1,2}$/.test(word) || (via === 'spelling' && word.length < MIN_SPELLED_CHARS)) continue;
    if (isOrdinary(word)) ordinary++;
    else specific++;
  }
  return { specific, ordinary, missing: missing.filter((word) => !GENERIC_WORDS.has(word)).length };
}
