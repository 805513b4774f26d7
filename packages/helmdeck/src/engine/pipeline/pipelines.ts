import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { assertNoSecret, type FactRules } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { deleteRecord, findRecord, saveRecord, walkRecords } from '../history/records.ts';
import type { PackRegistry } from '../pack/pack-registry.ts';
import { type Pipeline, type PipelineBody, validatePipeline } from './definition.ts';

/** Pipeline definitions: built-in ones, which every caller has and none can change, and each caller's own. */
export interface Pipelines {
  list(memory: Memory): Promise<Pipeline[]>;
  /** `not_found` for another caller's pipeline too. */
  get(memory: Memory, id: string): Promise<Pipeline>;
  create(memory: Memory, input: unknown): Promise<Pipeline>;
  replace(memory: Memory, id: string, input: unknown): Promise<Pipeline>;
  delete(memory: Memory, id: string): Promise<boolean>;
}

export type BuiltInPipeline = PipelineBody & { id: string };

const PIPELINE_ID = /^pipe_[0-9a-f]{16}$/;
const MAX_PER_CALLER = 500;
const EPOCH = isoMs(0);

/** Pipelines that were stored before they had versions have none. */
type StoredPipeline = Omit<Pipeline, 'version'> & { version?: number };
const versioned = (stored: StoredPipeline): Pipeline => ({ ...stored, version: stored.version ?? 1 });

export function createPipelines(
  packs: PackRegistry,
  rules: FactRules,
  builtIn: readonly BuiltInPipeline[],
): Pipelines {
  // A built-in pipeline is left out if one of its packs is missing, for instance because the server has no gateway.
  const shipped: Pipeline[] = builtIn
    .filter(({ steps }) => steps.every(({ pack, version }) => packs.has(pack, version)))
    .map(({ id, ...body }) => ({
      id,
      ...validatePipeline(body, packs),
      builtin: true,
      version: 1,
      created_at: EPOCH,
      updated_at: EPOCH,
    }));

  async function own(memory: Memory): Promise<Pipeline[]> {
    const found: Pipeline[] = [];
    for await (const { value } of walkRecords<StoredPipeline>(memory, 'pipeline'))
      found.push(versioned(value));
    return found;
  }

  async function findOwn(memory: Memory, id: string): Promise<Pipeline | undefined> {
    if (!PIPELINE_ID.test(id)) return undefined;
    const stored = await findRecord<StoredPipeline>(memory, 'pipeline', id);
    return stored && versioned(stored);
  }

  function checked(input: unknown): PipelineBody {
    const body = validatePipeline(input, packs);
    if (rules.secretGuard) assertNoSecret({ key: body.name, value: JSON.stringify(body), tags: [] });
    return body;
  }

  function assertOwn(id: string): void {
    if (shipped.some((each) => each.id === id))
      throw new AppError('builtin_readonly', 'Built-in pipelines cannot be changed.');
  }

  const pipelines: Pipelines = {
    list: async (memory) =>
      [...shipped, ...(await own(memory))].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    async get(memory, id) {
      const found = shipped.find((each) => each.id === id) ?? (await findOwn(memory, id));
      if (!found) throw new AppError('not_found', 'There is no such pipeline.');
      return found;
    },
    async create(memory, input) {
      const body = checked(input);
      if ((await own(memory)).length >= MAX_PER_CALLER)
        throw new AppError('quota_exceeded', `At most ${MAX_PER_CALLER} pipelines.`, {
          retryAfterSeconds: 60,
        });
      const at = isoMs(memory.now());
      const id = `pipe_${randomBytes(8).toString('hex')}`;
      const times = { created_at: at, updated_at: at };
      const pipeline: Pipeline = { id, ...body, builtin: false, version: 1, ...times };
      await saveRecord(memory, 'pipeline', id, pipeline);
      return pipeline;
    },
    async replace(memory, id, input) {
      assertOwn(id);
      // Until no other change came between: two changes at once are two versions. A deleted one is `not_found`.
      for (;;) {
        const before = await pipelines.get(memory, id);
        const times = { created_at: before.created_at, updated_at: isoMs(memory.now()) };
        const version = before.version + 1;
        const pipeline: Pipeline = { id, ...checked(input), builtin: false, version, ...times };
        const saved = await saveRecord(memory, 'pipeline', id, pipeline, {
          mustExist: true,
          onlyOver: (held) => versioned(held as StoredPipeline).version === before.version,
        });
        if (saved) return pipeline;
      }
    },
    async delete(memory, id) {
      assertOwn(id);
      return PIPELINE_ID.test(id) && deleteRecord(memory, 'pipeline', id);
    },
  };
  return pipelines;
}
