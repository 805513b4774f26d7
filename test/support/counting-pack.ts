import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { definePack, type Pack } from '../../packages/helmdeck/src/engine/pack/pack.ts';

/** A cached pack that appends a line to a file for each run of its handler, in whichever process. */
export function countingPack(file: string): Pack {
  return definePack({
    name: 'test.counting',
    version: 'v1',
    description: 'Counts how often it really runs.',
    input: z.strictObject({ title: z.string(), forMs: z.number().default(0) }),
    output: z.object({ said: z.string() }),
    memory: { cache: { ttlSeconds: 600 } },
    async handler({ input, signal }) {
      appendFileSync(file, 'ran\n');
      await sleep(input.forMs, undefined, { signal });
      return { said: `a result about ${input.title}` };
    },
  });
}
