import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { definePack, type Pack } from '../../packages/helmdeck/src/engine/pack/pack.ts';

/** How often `test.slow` was started in this process. */
export const slowRuns = { begun: 0 };

/** Packs that exercise the engine, for tests across modules. */
export const TEST_PACKS: readonly Pack[] = [
  definePack({
    name: 'test.note',
    version: 'v1',
    description: 'Keeps a note, or finds one.',
    input: z.strictObject({ key: z.string(), value: z.string().optional() }),
    output: z.object({ found: z.string().nullable() }),
    async handler({ input, memory }) {
      if (input.value !== undefined) await memory?.store(input.key, input.value);
      return { found: (await memory?.recall(input.key))?.value ?? null };
    },
  }),
  definePack({
    name: 'test.cached',
    version: 'v1',
    description: 'Says a title twice, and remembers having done so.',
    input: z.strictObject({ title: z.string() }),
    output: z.object({ said: z.string() }),
    memory: { cache: { ttlSeconds: 600 } },
    handler: async ({ input }) => ({ said: input.title + input.title }),
  }),
  definePack({
    name: 'test.later',
    version: 'v1',
    description: 'Takes its time.',
    input: z.strictObject({ title: z.string().optional(), forMs: z.number().default(60_000) }),
    output: z.object({ said: z.string() }),
    async: true,
    async handler({ input, signal, progress }) {
      progress(10, 'begun');
      await sleep(input.forMs, undefined, { signal });
      return { said: input.title ?? '' };
    },
  }),
  definePack({
    name: 'test.slow',
    version: 'v1',
    description: 'Waits as long as it is told to.',
    input: z.strictObject({ forMs: z.number() }),
    output: z.object({}),
    async handler({ input, signal }) {
      slowRuns.begun++;
      await sleep(input.forMs, undefined, { signal });
      return {};
    },
  }),
];
