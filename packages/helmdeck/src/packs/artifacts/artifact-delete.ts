import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';

/** `artifact.delete`: removes one of the caller's artifacts for good. */
export function artifactDeletePack(): Pack {
  return definePack({
    name: 'artifact.delete',
    version: 'v1',
    description: 'Delete one of your artifacts by its key, before it expires by itself.',
    input: z.strictObject({ artifact_key: z.string().describe('Key of the artifact, art_…') }),
    output: z.object({ deleted: z.int().describe('1, or 0 when there was none') }),
    metadata: {
      accepts: ['artifact'],
      produces: [],
      intent_keywords: ['delete the artifact', 'remove the file', 'delete the document'],
      typical_use: 'A file is no longer needed, or should not have been kept.',
      limitations: ['It cannot be brought back.'],
    },
    handler: async ({ input, artifacts }) => ({
      deleted: (await artifacts.delete(input.artifact_key)) ? 1 : 0,
    }),
  });
}
