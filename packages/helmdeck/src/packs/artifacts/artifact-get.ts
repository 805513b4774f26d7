import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { artifactInfo } from './artifact-schema.ts';
import { textOrBase64 } from './text-or-base64.ts';

/** `artifact.get`: the content of one of the caller's artifacts. */
export function artifactGetPack(): Pack {
  return definePack({
    name: 'artifact.get',
    version: 'v1',
    description: 'Get one of your artifacts by its key: text as text, anything else in base64.',
    input: z.strictObject({
      artifact_key: z.string().describe('Key of the artifact, art_…'),
      encoding: z
        .enum(['utf-8', 'base64'])
        .optional()
        .describe('How to write the content; default: text as utf-8, else base64'),
    }),
    output: artifactInfo.extend({
      content: z.string(),
      encoding: z.enum(['utf-8', 'base64']).describe('How content is written'),
    }),
    metadata: {
      accepts: ['artifact'],
      produces: ['text', 'file'],
      intent_keywords: ['get the artifact', 'open the file', 'read the document'],
      typical_use: 'Reading again what an earlier run kept as a file.',
    },
    async handler({ input, artifacts }) {
      const { info, content } = await artifacts.get(input.artifact_key);
      if (input.encoding === 'base64')
        return { ...info, content: Buffer.from(content).toString('base64'), encoding: 'base64' as const };
      if (input.encoding === 'utf-8')
        return { ...info, content: Buffer.from(content).toString(), encoding: 'utf-8' as const };
      const { text, encoding } = textOrBase64(content, info.content_type);
      return { ...info, content: text, encoding };
    },
  });
}
