import { z } from 'zod';

/** An artifact as packs return it. */
export const artifactInfo = z.object({
  artifact_key: z.string().describe('Gets the artifact again, for its owner only'),
  filename: z.string(),
  content_type: z.string(),
  kind: z.string().optional(),
  size: z.int().describe('Bytes'),
  created_at: z.string(),
  expires_at: z.string().describe('RFC 3339, UTC'),
});
