import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { Memory } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { saveRecord, walkRecords } from '../history/records.ts';
import type { PackRegistry } from '../pack/pack-registry.ts';
import type { Pipeline, PipelineBody } from '../pipeline/definition.ts';
import type { Pipelines } from '../pipeline/pipelines.ts';
import { draftPipeline } from './draft.ts';
import { findSequences, type Sequence } from './find-sequences.ts';
import { type KnownConstants, knownConstants } from './known-constants.ts';
import { tracedRuns } from './traced-runs.ts';

/** A sequence of packs that could be a pipeline, with its evidence. */
export interface Candidate {
  id: string;
  /** The packs, in order. */
  steps: string[];
  /** How often the sequence ran, of how often its first pack ran. */
  count: number;
  of: number;
  last_unix: number;
  /** The keys of the runs of some occurrences, newest first. */
  example_runs: string[][];
  draft: PipelineBody;
}

/** What a person decided about a candidate; it is not shown again. */
interface Decision {
  id: string;
  decision: 'promoted' | 'dismissed';
  pipeline_id?: string;
  at: string;
}

/** Pipelines made from what ran. */
export interface Procedures {
  candidates(memory: Memory): Promise<Candidate[]>;
  promote(memory: Memory, id: string, name: unknown): Promise<Pipeline>;
  dismiss(memory: Memory, id: string): Promise<void>;
  fromRuns(memory: Memory, keys: unknown, name: unknown): Promise<Pipeline>;
}

const MAX_CANDIDATES = 20;
const MAX_EXAMPLES = 3;
const MAX_PICKED_RUNS = 20;
const DECISION_SECONDS = 180 * 86_400;

export function createProcedures(packs: PackRegistry, pipelines: Pipelines): Procedures {
  async function candidates(memory: Memory): Promise<Candidate[]> {
    const keys = await keysOfRuns(memory);
    if (!keys) return [];
    const decided = new Set<string>();
    for await (const { value } of walkRecords<Decision>(memory, 'procedure')) decided.add(value.id);
    const constants = knownConstants(keys);
    return findSequences(await tracedRuns(memory), constants.trivial)
      .filter((sequence) => sequence.packs.every((pack) => packs.has(pack)) && !decided.has(idOf(sequence)))
      .map((sequence) => candidateOf(sequence, packs, constants))
      .sort((a, b) => b.count - a.count || b.last_unix - a.last_unix || (a.id < b.id ? -1 : 1))
      .slice(0, MAX_CANDIDATES);
  }

  async function findCandidate(memory: Memory, id: string): Promise<Candidate> {
    const found = (await candidates(memory)).find((each) => each.id === id);
    if (!found)
      throw new AppError(
        'not_found',
        'There is no such candidate; its runs may have been forgotten, or it was decided.',
      );
    return found;
  }

  const decide = (memory: Memory, decision: Omit<Decision, 'at'>) =>
    saveRecord(
      memory,
      'procedure',
      decision.id,
      { ...decision, at: isoMs(memory.now()) },
      { ttlSeconds: DECISION_SECONDS },
    );

  return {
    candidates,
    async promote(memory, id, name) {
      const { draft } = await findCandidate(memory, id);
      const pipeline = await pipelines.create(memory, named(draft, name));
      await decide(memory, { id, decision: 'promoted', pipeline_id: pipeline.id });
      return pipeline;
    },
    async dismiss(memory, id) {
      await findCandidate(memory, id);
      await decide(memory, { id, decision: 'dismissed' });
    },
    async fromRuns(memory, picked, name) {
      const wanted = runKeys(picked);
      const keys = await keysOfRuns(memory);
      const runs = keys ? await tracedRuns(memory, wanted) : [];
      if (!keys || runs.length < wanted.size) throw notUsable();
      if (!runs.every(({ pack }) => packs.has(pack))) throw notUsable();
      const draft = draftPipeline({ occurrences: [runs], packs, constants: knownConstants(keys) });
      return pipelines.create(memory, named(draft, name));
    },
  };
}

/** The keys of the caller's run records, pending ones included: the first record creates their namespace. */
async function keysOfRuns({ pending, directory, caller }: Memory): Promise<NamespaceKeys | undefined> {
  await pending.drain(directory.idOf(caller));
  return directory.runs.find(caller);
}

function candidateOf(sequence: Sequence, packs: PackRegistry, constants: KnownConstants): Candidate {
  const { occurrences, of } = sequence;
  const newest = occurrences.toReversed();
  return {
    id: idOf(sequence),
    steps: sequence.packs,
    count: occurrences.length,
    of,
    last_unix: Math.max(...newest.flat().map(({ atUnix }) => atUnix)),
    example_runs: newest.slice(0, MAX_EXAMPLES).map((runs) => runs.map(({ key }) => key)),
    draft: draftPipeline({ occurrences, packs, constants }),
  };
}

/** The same packs in the same order have the same id, however often they run. */
const idOf = ({ packs }: Sequence) =>
  `cand_${createHash('sha256').update(packs.join(' ')).digest('hex').slice(0, 16)}`;

const named = (draft: PipelineBody, name: unknown) => (name === undefined ? draft : { ...draft, name });

function runKeys(picked: unknown): Set<string> {
  const keys = Array.isArray(picked) ? picked.filter((each) => typeof each === 'string') : [];
  if (!Array.isArray(picked) || keys.length !== picked.length)
    throw new AppError('invalid_input', 'runs must be a list of keys of runs.', { reason: 'bad_type' });
  const distinct = new Set(keys);
  if (distinct.size < 2 || distinct.size > MAX_PICKED_RUNS)
    throw new AppError('invalid_input', `Pick from 2 to ${MAX_PICKED_RUNS} different runs.`, {
      reason: 'bad_runs',
    });
  return distinct;
}

const notUsable = () =>
  new AppError('invalid_input', 'One of these runs cannot become a step.', {
    reason: 'bad_runs',
    hint: 'Pick runs of packs that succeeded, are still recorded, and were not steps of a pipeline.',
  });
