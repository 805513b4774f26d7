import { z } from 'zod';
import { ARTIFACT_KINDS } from '../../artifacts/artifact-policy.ts';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { artifactInfo } from './artifact-schema.ts';
import { bytesOf } from './text-or-base64.ts';

/** `artifact.put`: stores a file of the caller for a week. */
export function artifactPutPack(): Pack {
  return definePack({
    name: 'artifact.put',
    version: 'v1',
    description: 'Keep a text or a file as an artifact for seven days; answers with the key to get it again.',
    input: z.strictObject({
      content: z.string().describe('The content: text, or base64 with encoding "base64"; at most 25 MiB'),
      kind: z
        .string()
        .optional()
        .describe(`What it is; ${ARTIFACT_KINDS.join(', ')} also choose a name and a type for it`),
      filename: z.string().optional().describe('Name to show and to save it under; paths are cut off'),
      content_type: z.string().optional().describe('Media type, such as text/markdown'),
      encoding: z.enum(['utf-8', 'base64']).optional().describe('How content is written; default utf-8'),
    }),
    output: artifactInfo,
    metadata: {
      accepts: ['text', 'markdown', 'file'],
      produces: ['artifact'],
      intent_keywords: ['save this file', 'keep this document', 'store the result', 'make an artifact'],
      typical_use: 'A result is too long for a fact, or should be handed on as a file.',
      limitations: ['Gone after seven days.', 'Only its owner can get it.'],
    },
    async handler({ input, artifacts }) {
      const { content, kind, filename, content_type: contentType, encoding } = input;
      // Text without a kind is text, not bytes.
      const assumed =
        kind === undefined && contentType === undefined && encoding !== 'base64' ? 'text' : kind;
      return artifacts.put({ content: bytesOf(content, encoding), kind: assumed, filename, contentType });
    },
  });
}
