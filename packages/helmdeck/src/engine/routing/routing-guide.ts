import { mayRun } from '../engine.ts';
import { PLANNER } from '../history/run-history.ts';
import type { PackRegistry } from '../pack/pack-registry.ts';
import type { Pipeline } from '../pipeline/definition.ts';
import type { Candidate } from './rank.ts';

/** All packs and pipelines and the rules for choosing one: the `helmdeck://routing-guide` document. */
export interface RoutingGuide {
  rules: readonly string[];
  pipelines: { id: string; name: string; description: string; inputs: object; metadata: object }[];
  packs: { id: string; description: string; input_schema: object; metadata: object }[];
}

const RULES: readonly string[] = [
  'A pipeline that fits goes before single packs; one that supersedes a pack goes before that pack.',
  'Compare the intent with intent_keywords first, then with accepts, produces, names and descriptions.',
  'Fill inputs from what the user said, then from the learned defaults of the chosen id.',
  'Never invent an id. When nothing fits, say what is missing and propose a pack for it.',
];

/** Neither recommends itself or the other. */
const ROUTERS: readonly string[] = ['helmdeck.route', PLANNER];

/** The packs and pipelines that a token with these scopes may run. */
export function routingCandidates(
  packs: PackRegistry,
  pipelines: readonly Pipeline[],
  scopes: ReadonlySet<string>,
): Candidate[] {
  const mayRunAll = ({ steps }: Pipeline) =>
    steps.every(({ pack, version }) => packs.has(pack, version) && mayRun(packs.get(pack, version), scopes));
  const runsPipelines = scopes.has('pipelines:run') || scopes.has('admin');
  const ready = runsPipelines ? pipelines.filter(mayRunAll) : [];
  const allowed = packs
    .names()
    .filter((name) => !ROUTERS.includes(name))
    .map((name) => packs.get(name))
    .filter((pack) => mayRun(pack, scopes));
  return [
    ...ready.map(({ id, name, description = '', metadata, inputs = {} }) => ({
      kind: 'pipeline' as const,
      id,
      name,
      description,
      metadata,
      inputSchema: { type: 'object', properties: inputs },
    })),
    ...allowed.map(({ name, description, metadata, inputSchema }) => ({
      kind: 'pack' as const,
      id: name,
      name,
      description,
      metadata,
      inputSchema,
    })),
  ];
}

export function routingGuide(candidates: readonly Candidate[]): RoutingGuide {
  return {
    rules: RULES,
    pipelines: candidates
      .filter(({ kind }) => kind === 'pipeline')
      .map(({ id, name, description, inputSchema, metadata }) => ({
        id,
        name,
        description,
        inputs: (inputSchema as { properties: object }).properties,
        metadata,
      })),
    packs: candidates
      .filter(({ kind }) => kind === 'pack')
      .map(({ id, description, inputSchema, metadata }) => ({
        id,
        description,
        input_schema: inputSchema,
        metadata,
      })),
  };
}
