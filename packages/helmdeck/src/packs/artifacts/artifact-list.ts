import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { artifactInfo } from './artifact-schema.ts';

const DEFAULT_LIMIT = 50;

/** `artifact.list`: what the caller keeps, newest first. */
export function artifactListPack(): Pack {
  return definePack({
    name: 'artifact.list',
    version: 'v1',
    description: 'List your artifacts, newest first, without their content.',
    input: z.strictObject({
      filename: z
        .string()
        .max(256)
        .optional()
        .describe('Only those whose name contains this, in any letter case'),
      limit: z.int().min(1).max(200).optional().describe(`How many; default ${DEFAULT_LIMIT}, at most 200`),
      cursor: z.string().max(256).optional().describe('The next_cursor of the page before'),
    }),
    output: z.object({
      artifacts: z.array(artifactInfo),
      count: z.int().describe('How many are on this page'),
      next_cursor: z.string().optional().describe('Asks for the next page; absent on the last one'),
    }),
    metadata: {
      accepts: ['filename'],
      produces: ['artifact'],
      intent_keywords: ['list artifacts', 'which files', 'find the document'],
      typical_use: 'Finding the key of an artifact.',
    },
    async handler({ input, artifacts }) {
      const page = await artifacts.list({ ...input, limit: input.limit ?? DEFAULT_LIMIT });
      return { ...page, count: page.artifacts.length };
    },
  });
}
