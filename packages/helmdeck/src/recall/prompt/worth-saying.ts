import type { Why } from '../ranking/explain.ts';
import type { Hit } from '../search.ts';
import { GENERIC_WORDS } from '../text/stop-words.ts';
import { isOrdinary } from './ordinary-words.ts';
import type { PromptQuestion, Subject } from './prompt-questions.ts';

// Decides which hits are worth interrupting a prompt for. A search answers a person who asked the memory; a prompt mostly
// did not, so a hit needs more than the score that a search needs.

/**
 * What a hit needs, by what the question is about. Who asks about their own things most likely means the memory, and is
 * told what a search would not be sure of (0.3); the rest needs more the less it looks like that. Chosen so that 97 % of
 * the unrelated prompts in test/prompt-notes stay without a note.
 */
const MIN_SCORES: Record<Subject, number> = {
  own: 0.22,
  unknown: 0.22,
  world: 0.42,
  general: 0.55,
  definition: 0.7,
};
/** What a part of a longer prompt needs that is neither a question nor about the person. */
const MIN_ASIDE_SCORE = 0.36;
/** What ordinary words alone need that are all of the question: "build tool". */
const MIN_WHOLE_SCORE = 0.5;
/** In a longer prompt not every part is meant. */
const FEW_PARTS = 3;
/** A weaker hit beside a much stronger one of the same question is noise. */
const MIN_SHARE_OF_BEST = 0.7;
/** Hits with at least this share of the best score count as equally good. */
const EQUAL_SHARE = 0.85;
const MAX_EQUAL_HITS = 4;
const MIN_SPELLED_CHARS = 6;

/** A hit that is worth saying, and the question that found it. */
export interface ChosenHit<H extends Hit = Hit> {
  hit: H;
  question: PromptQuestion;
}

/** The hits that are worth saying, best first, each fact once. `hits` are those of each question, with their `why`. */
export function chooseWorthSaying<H extends Hit>(
  questions: readonly PromptQuestion[],
  hits: readonly (readonly H[])[],
): ChosenHit<H>[] {
  const best = new Map<string, ChosenHit<H>>();
  for (const [at, question] of questions.entries()) {
    const [top] = hits[at]!;
    if (!top || isVague(hits[at]!)) continue;
    for (const hit of hits[at]!) {
      if (hit.score < top.score * MIN_SHARE_OF_BEST || !isWorthSaying(hit, question, questions.length))
        continue;
      const known = best.get(hit.document.key);
      if (!known || known.hit.score < hit.score) best.set(hit.document.key, { hit, question });
    }
  }
  return [...best.values()].sort((a, b) => b.hit.score - a.hit.score);
}

/** Many facts fit equally well: the question names a field, not one of them. */
function isVague(hits: readonly Hit[]): boolean {
  return hits.filter(({ score }) => score >= hits[0]!.score * EQUAL_SHARE).length > MAX_EQUAL_HITS;
}

function isWorthSaying(hit: Hit, question: PromptQuestion, parts: number): boolean {
  if (!hit.why) return false;
  const { subject, isQuestion } = question;
  const { specific, ordinary, missing } = wordsOf(hit.why);
  if (specific === 0 && subject !== 'own') {
    return missing === 0 && ordinary > 1 && subject === 'unknown' && hit.score >= MIN_WHOLE_SCORE;
  }
  const isAside = subject === 'unknown' && !isQuestion && parts > FEW_PARTS;
  const needed = isAside ? MIN_ASIDE_SCORE : MIN_SCORES[subject];
  return hit.score >= needed;
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
