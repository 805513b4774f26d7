import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { corpusPage } from '../../recall/corpus.ts';
import type { MemoryAccess } from './memory-access.ts';

const MAX_CHUNKS = 200;
const DEFAULT_CHUNKS = 50;

/** `helmdeck.memory_corpus`: all searchable entries of the caller, for other search engines. */
export function memoryCorpusPack({ memoryOf }: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_corpus',
    version: 'v1',
    description:
      'The facts and run history of the caller as Markdown chunks, newest first and page by page, for an index of your own.',
    input: z.strictObject({
      cursor: z.string().optional().describe('next_cursor of the page before'),
      limit: z.int().min(1).max(MAX_CHUNKS).optional().describe(`Default ${DEFAULT_CHUNKS}`),
    }),
    output: z.object({
      chunks: z.array(
        z.object({
          path: z.string().describe('Where it would sit in a folder of notes'),
          content: z.string().describe('Markdown'),
          metadata: z.looseObject({ kind: z.string(), key: z.string() }),
        }),
      ),
      next_cursor: z.string().optional(),
    }),
    scopes: ['memory:read'],
    audit: false,
    metadata: {
      accepts: ['cursor'],
      produces: ['corpus_chunks'],
      intent_keywords: ['index my memory', 'export chunks', 'corpus of facts'],
      typical_use: 'A search engine that wants to rank the facts together with its own notes.',
      limitations: ['Neither cached results nor notes of handlers nor the vault are in it.'],
    },
    async handler(ec) {
      const { cursor, limit = DEFAULT_CHUNKS } = ec.input;
      const memory = memoryOf(ec.caller);
      const page = await memory.limits.readLarge(memory.directory.idOf(ec.caller), () =>
        corpusPage(memory, { cursor, limit }),
      );
      return { ...page, chunks: page.chunks.map((chunk) => ({ ...chunk, metadata: { ...chunk.metadata } })) };
    },
  });
}
