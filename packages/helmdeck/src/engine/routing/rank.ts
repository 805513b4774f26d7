import type { PackMetadata } from '../pack/metadata.ts';

/** A pack or pipeline that can be recommended. */
export interface Candidate {
  kind: 'pack' | 'pipeline';
  id: string;
  name: string;
  description: string;
  metadata: PackMetadata;
  inputSchema: object;
}

export interface RankedCandidate {
  candidate: Candidate;
  score: number;
  /** The reasons for the score, in words. */
  why: string;
}

/** How often, and when last, the caller used each pack and pipeline. */
export type Usage = ReadonlyMap<string, { times: number; lastUnix: number }>;

const WEIGHTS = { keyword: 3, shape: 2, name: 2, description: 1, supersedes: 2.5, habit: 0.25 };
const MAX_HABIT_SCORE = 1;
const STOP_WORDS = new Set(
  'a about all an and any are as at be but by can could do does for from get give go have how i if in into is it its let like make me my need no not of on or our please so some than that the their them then there these they this to up us use want was we what when where which who will with would you your'.split(
    ' ',
  ),
);

/** Lower-case words of letters and digits, two or longer, without stop-words. */
export function routingWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word));
}

/** The same as a set; a plural counts as its singular. */
const routingTokens = (text: string): Set<string> => new Set(routingWords(text).map(singular));

const singular = (word: string) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** Candidates that share a word with the intent, best first; the same input always gives the same order. */
export function rankCandidates(
  intent: string,
  candidates: readonly Candidate[],
  usage: Usage,
): RankedCandidate[] {
  const tokens = routingTokens(intent);
  const lastUnix = (id: string) => usage.get(id)?.lastUnix ?? 0;
  return candidates
    .map((candidate) => score(tokens, candidate, usage))
    .filter((ranked) => ranked.score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        lastUnix(b.candidate.id) - lastUnix(a.candidate.id) ||
        (a.candidate.id < b.candidate.id ? -1 : 1),
    );
}

function score(intent: ReadonlySet<string>, candidate: Candidate, usage: Usage): RankedCandidate {
  const { id, name, description, metadata } = candidate;
  const overlaps = (text: string) => [...routingTokens(text)].filter((token) => intent.has(token));
  const phrases = (metadata.intent_keywords ?? []).filter((phrase) => {
    const words = [...routingTokens(phrase)];
    return words.length > 0 && words.every((word) => intent.has(word));
  });
  const shapes = [...(metadata.accepts ?? []), ...(metadata.produces ?? [])].flatMap(overlaps);
  const inName = overlaps(`${name} ${id}`);
  const inDescription = overlaps(description);
  const superseded = candidate.kind === 'pipeline' ? (metadata.supersedes ?? []).flatMap(overlaps) : [];
  const base =
    WEIGHTS.keyword * phrases.length +
    WEIGHTS.shape * shapes.length +
    WEIGHTS.name * inName.length +
    WEIGHTS.description * inDescription.length +
    WEIGHTS.supersedes * superseded.length;
  const times = usage.get(id)?.times ?? 0;
  const habit = base > 0 ? Math.min(MAX_HABIT_SCORE, WEIGHTS.habit * Math.log2(1 + times)) : 0;
  const reasons = [
    phrases.length > 0 ? `is meant for "${phrases.join('", "')}"` : '',
    inName.length > 0 ? `its name says ${inName.join(', ')}` : '',
    shapes.length > 0 ? `it takes or makes ${[...new Set(shapes)].join(', ')}` : '',
    inDescription.length > 0 ? `its description mentions ${inDescription.join(', ')}` : '',
    habit > 0 ? `you have used it ${times === 1 ? 'once' : `${times} times`}` : '',
  ];
  return { candidate, score: base + habit, why: reasons.filter(Boolean).join('; ') };
}
