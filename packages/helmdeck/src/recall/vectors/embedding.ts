import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Image } from '../image/image.ts';
import { embeddingText } from '../text/entry-text.ts';
import { createEmbedQueue, type EmbedQueueStatus, type QueueLog } from './embed-queue.ts';
import type { Embedder } from './embedder.ts';
import { createQueryVectors } from './query-vector.ts';
import { loadVectors, saveVector } from './vector-rows.ts';

/** Embeddings as the rest of recall uses them: vectors of facts for an image, and the vector of a query. */
export interface Embedding {
  readonly model: string;
  /** Loads an image's vectors that were stored since `since`, and queues the facts that have none. */
  complete(keys: NamespaceKeys, image: Image, since: { seq: number; documents: number }): Promise<void>;
  /** The vector of a query; `degraded` if there is none within the budget. */
  ofQuery(keys: NamespaceKeys, text: string): Promise<Float32Array | 'degraded'>;
  status(): EmbedQueueStatus & { model: string; problem?: string; queries: number; degraded: number };
  /** Resolves when no fact is queued for embedding. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

export function createEmbedding(
  parts: Pick<MemoryParts, 'store' | 'directory' | 'now'>,
  embedder: Embedder,
  log: QueueLog,
): Embedding {
  const queries = createQueryVectors({ embedder, now: parts.now });
  const queue = createEmbedQueue({ embedder, save, log, now: parts.now });

  async function save(
    job: string,
    vector: Float32Array,
    text: string,
    windows: readonly Float32Array[],
  ): Promise<void> {
    const [ns, id] = job.split(' ').map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer];
    const keys = await parts.directory.findById(ns);
    if (keys) await saveVector(parts, keys, id, { model: embedder.id, text, vector, windows });
  }

  return {
    model: embedder.id,
    async complete(keys, image, since) {
      const before = image.vectors();
      await loadVectors(parts, keys, image, since.seq, embedder.id);
      // A new table means that the dimensions changed: every fact is embedded again.
      const isNewTable = before !== undefined && before !== image.vectors();
      for (let document = isNewTable ? 0 : since.documents; document < image.documents.length; document++) {
        if (image.vectors()?.has(document) || !image.holds(document)) continue;
        if (image.documents.kind(document) !== 'fact') continue;
        const id = image.ids.idOf(document).toString('hex');
        queue.add({
          id: `${keys.ns.toString('hex')} ${id}`,
          text: embeddingText(image.documents.content(document)),
        });
      }
    },
    ofQuery: (keys, text) => queries.of(text, keys.ns.toString('hex')),
    status: () => ({
      ...queue.status(),
      model: embedder.id,
      problem: queries.problem(),
      ...queries.counts(),
    }),
    drained: queue.drained,
    async close() {
      await queue.close();
      await embedder.close();
    },
  };
}
