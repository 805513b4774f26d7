import { type Candidate, type RankedCandidate, rankCandidates, routingWords, type Usage } from './rank.ts';

export interface Recommendation {
  kind: 'pipeline' | 'pack' | 'none';
  id: string;
  suggested_inputs?: Record<string, unknown>;
  why?: string;
}

/** A missing capability, and what a pack for it could look like. */
export interface GapWarning {
  missing_capability: string;
  proposed_pack: {
    name: string;
    input_schema: object;
    output_schema: object;
    integration_pattern: string;
    why_useful: string;
  };
}

export interface RouteAnswer {
  recommendation: Recommendation;
  alternatives: { kind: 'pipeline' | 'pack'; id: string; why?: string }[];
  gap_warning?: GapWarning;
  reasoning: string;
}

/** What is known about the caller and the request besides the intent. */
export interface RouteHints {
  usage: Usage;
  /** Learned inputs by pack or pipeline. */
  commonInputs: ReadonlyMap<string, Record<string, string>>;
  context: Record<string, unknown>;
}

/** A lower score is no match: one or two shared words are no reason to run something. */
export const MIN_SCORE = 3;
const MAX_ALTERNATIVES = 3;
const INTENT_CHARS = 200;

/** Recommends a pack or pipeline from metadata and habits alone; the same request always gives the same result. */
export function recommend(intent: string, candidates: readonly Candidate[], hints: RouteHints): RouteAnswer {
  const ranked = preferPipelines(rankCandidates(intent, candidates, hints.usage));
  const [best] = ranked;
  if (!best || best.score < MIN_SCORE) {
    const nothing = best ? `${best.candidate.id} comes closest` : 'nothing has to do with it';
    return noFit(intent, ranked, `No pack or pipeline fits: ${nothing}.`);
  }
  return chosen(intent, best.candidate, ranked, hints, best.why);
}

/** The response for a candidate that was chosen, by score or by a language model. */
export function chosen(
  intent: string,
  { kind, id, inputSchema }: Candidate,
  ranked: readonly RankedCandidate[],
  hints: RouteHints,
  why: string,
): RouteAnswer {
  const inputs = suggestInputs(intent, id, inputSchema, hints);
  return {
    recommendation: {
      kind,
      id,
      ...(Object.keys(inputs).length > 0 ? { suggested_inputs: inputs } : {}),
      why,
    },
    alternatives: alternatives(ranked.filter(({ candidate }) => candidate.id !== id)),
    reasoning: `${id}: ${why}.`,
  };
}

export function noFit(intent: string, ranked: readonly RankedCandidate[], reasoning: string): RouteAnswer {
  return {
    recommendation: { kind: 'none', id: '' },
    alternatives: alternatives(ranked),
    gap_warning: gapFor(intent, ranked),
    reasoning,
  };
}

const alternatives = (ranked: readonly RankedCandidate[]) =>
  ranked
    .slice(0, MAX_ALTERNATIVES)
    .map(({ candidate: { kind, id }, why }) => ({ kind, id, ...(why === '' ? {} : { why }) }));

/** Moves matching pipelines before matching packs: a pipeline may supersede the packs it is made of. */
export function preferPipelines(ranked: readonly RankedCandidate[]): RankedCandidate[] {
  const first = ({ candidate, score }: RankedCandidate) =>
    candidate.kind === 'pipeline' && score >= MIN_SCORE;
  return [...ranked.filter(first), ...ranked.filter((each) => !first(each))];
}

/** Suggests inputs by name: from the given context, from a URL or repository in the intent, from learned defaults. */
export function suggestInputs(
  intent: string,
  id: string,
  schema: object,
  { commonInputs, context }: RouteHints,
): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, unknown> };
  const url = /https?:\/\/[^\s"'<>)]+/.exec(intent)?.[0];
  const repo = /(?:^|\s)([\w.-]+\/[\w.-]+)(?=$|[\s,.!?])/.exec(intent.replaceAll(/https?:\S+/g, ' '))?.[1];
  const found = Object.keys(properties).map((name): [string, unknown] => {
    if (Object.hasOwn(context, name)) return [name, context[name]];
    if (name === 'url' && url !== undefined) return [name, url];
    if (name === 'repo' && repo !== undefined) return [name, repo];
    return [name, commonInputs.get(id)?.[name]];
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function gapFor(intent: string, ranked: readonly RankedCandidate[]): GapWarning {
  const words = routingWords(intent).slice(0, 3);
  const near = ranked[0]?.candidate;
  const limits = near?.metadata.limitations ?? [];
  return {
    missing_capability: intent.slice(0, INTENT_CHARS),
    proposed_pack: {
      name: `custom.${words.join('_') || 'new_pack'}`,
      input_schema: {
        type: 'object',
        properties: { request: { type: 'string', description: 'What to do' } },
        required: ['request'],
      },
      output_schema: {
        type: 'object',
        properties: { result: { type: 'string', description: 'What came of it' } },
        required: ['result'],
      },
      integration_pattern: near
        ? `A module with definePack in HELMDECK_PACKS_DIR; ${near.id} comes closest and shows the way.`
        : 'A module with definePack in HELMDECK_PACKS_DIR, or a program as a command pack.',
      why_useful:
        limits.length > 0 ? `${near!.id} does not do it: ${limits[0]}` : 'Nothing that is installed does it.',
    },
  };
}
