import type { RecentRun } from '../history/defaults.ts';
import { type Candidate, type RankedCandidate, rankCandidates, routingWords } from './rank.ts';
import { MIN_SCORE, preferPipelines, type RouteHints, suggestInputs } from './recommend.ts';

/** A pack or pipeline to run, for a part of the intent. */
export interface PlannedStep {
  kind: 'pack' | 'pipeline';
  id: string;
  /** The words of the intent it is for. */
  part: string;
  inputs?: Record<string, unknown>;
  /** Required inputs that are not known yet. */
  needs?: string[];
  why: string;
}

/** How often one pack ran right after another: by the first one, then by the second. */
export type Followers = ReadonlyMap<string, ReadonlyMap<string, number>>;

const MAX_STEPS = 8;
const MAX_PART_CHARS = 200;
const FOLLOWER_SECONDS = 1_800;
/** A candidate that often came next, or takes what the step before makes, goes before one that only has the words. */
const WEIGHTS = { follower: 2, shape: 1.5 };
const SEQUENCE = /[;\n]|(?:,\s*)?\b(?:and then|then|after that|afterwards|finally)\b/i;
const LIST = /,|\band\b/i;

/** Plans from metadata and habits alone; the same request always gives the same steps. */
export function planSteps(
  intent: string,
  candidates: readonly Candidate[],
  hints: RouteHints,
  followers: Followers,
): PlannedStep[] {
  const steps: PlannedStep[] = [];
  let before: Candidate | undefined;
  for (const part of partsOf(intent, candidates, hints)) {
    const [best] = rankNext(part, candidates, hints, before, followers);
    if (!best || best.score < MIN_SCORE || best.candidate.id === before?.id) continue;
    steps.push(plannedStep(intent, part, best.candidate, hints, best.why));
    before = best.candidate;
    if (steps.length === MAX_STEPS) break;
  }
  return steps;
}

export function plannedStep(
  intent: string,
  part: string,
  { kind, id, inputSchema }: Candidate,
  hints: RouteHints,
  why: string,
): PlannedStep {
  const inputs = suggestInputs(intent, id, inputSchema, hints);
  const { required = [] } = inputSchema as { required?: string[] };
  const needs = required.filter((name) => !Object.hasOwn(inputs, name));
  return {
    kind,
    id,
    part: part.slice(0, MAX_PART_CHARS),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...(needs.length > 0 ? { needs } : {}),
    why,
  };
}

/** The parts of an intent, in order. "and" and commas separate parts only if each of them has a match of its own. */
function partsOf(intent: string, candidates: readonly Candidate[], hints: RouteHints): string[] {
  return split(intent, SEQUENCE).flatMap((part) => {
    const pieces = split(part, LIST);
    const matches = pieces.map((piece) => rankNext(piece, candidates, hints)[0]);
    const distinct = new Set(matches.map((match) => match?.candidate.id));
    const isList =
      matches.every((match) => (match?.score ?? 0) >= MIN_SCORE) && distinct.size === pieces.length;
    return isList ? pieces : [part];
  });
}

const split = (text: string, by: RegExp) =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => routingWords(part).length > 0);

function rankNext(
  part: string,
  candidates: readonly Candidate[],
  { usage }: RouteHints,
  before?: Candidate,
  followers?: Followers,
): RankedCandidate[] {
  const ranked = rankCandidates(part, candidates, usage);
  if (!before) return preferPipelines(ranked);
  const after = followers?.get(before.id);
  const times = [...(after?.values() ?? [])].reduce((sum, each) => sum + each, 0);
  const { produces = [] } = before.metadata;
  return ranked
    .map(({ candidate, score, why }) => {
      const count = after?.get(candidate.id) ?? 0;
      const shapes = (candidate.metadata.accepts ?? []).filter((each) => produces.includes(each));
      const bonus =
        (times === 0 ? 0 : (WEIGHTS.follower * count) / times) + (shapes.length > 0 ? WEIGHTS.shape : 0);
      const reasons = [
        why,
        count > 0 ? `it came next ${count} of ${times} times` : '',
        shapes.length > 0 ? `it takes the ${shapes.join(', ')} of the step before` : '',
      ];
      return { candidate, score: score + bonus, why: reasons.filter(Boolean).join('; ') };
    })
    .sort((a, b) => b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : 1));
}

/** Counts which pack ran after which, from runs that succeeded, newest first. */
export function countFollowers(recent: readonly RecentRun[]): Followers {
  const runs = recent.filter(({ kind, outcome }) => kind === 'pack' && outcome === 'ok').toReversed();
  const followers = new Map<string, Map<string, number>>();
  for (const [at, { id, at_unix }] of runs.entries()) {
    const before = runs[at - 1];
    if (!before || before.id === id || at_unix - before.at_unix > FOLLOWER_SECONDS) continue;
    const counts = followers.get(before.id) ?? new Map<string, number>();
    followers.set(before.id, counts.set(id, (counts.get(id) ?? 0) + 1));
  }
  return followers;
}

const MAX_COHORT_WORDS = 6;

/** Intents that ask for the same: the words that the catalogue has too, so that no text of a person is kept. */
export function intentCohort(intent: string, candidates: readonly Candidate[]): string {
  const known = new Set(
    candidates.flatMap(({ id, name, description, metadata }) =>
      routingWords([id, name, description, ...(metadata.intent_keywords ?? [])].join(' ')),
    ),
  );
  const words = new Set(routingWords(intent).filter((word) => known.has(word)));
  return [...words].sort().slice(0, MAX_COHORT_WORDS).join(' ');
}
