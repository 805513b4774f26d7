import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Image } from '../image/image.ts';
import { meaningOf } from '../text/chunk.ts';
import { createEmbedQueue, type EmbedQueueStatus, type QueueLog } from './embed-queue.ts';
import type { Embedder } from './embedder.ts';
import { createQueryVectors } from './query-vector.ts';
import { keepVector, takeVectors } from './vector-rows.ts';

/** Everything about vectors that the rest of recall needs to know. */
export interface Embedding {
  readonly model: string;
  /** Brings an image's vectors up to date with the store, and has those made that are missing. */
  complete(keys: NamespaceKeys, image: Image, since: { seq: number; documents: number }): Promise<void>;
  /** The vector of a query, or `degraded` when there is none in time. */
  ofQuery(keys: NamespaceKeys, text: string): Promise<Float32Array | 'degraded'>;
  status(): EmbedQueueStatus & { model: string; problem?: string };
  /** When nothing waits to be embedded any more. */
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

  async function save(job: string, vector: Float32Array, text: string): Promise<void> {
    const [ns, id] = job.split(' ').map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer];
    const keys = await parts.directory.findById(ns);
    if (keys) await keepVector(parts, keys, id, { model: embedder.id, text, vector });
  }

  return {
    model: embedder.id,
    async complete(keys, image, since) {
      const before = image.vectors();
      await takeVectors(parts, keys, image, since.seq, embedder.id);
      const isAnotherTable = before !== undefined && before !== image.vectors();
      for (
        let document = isAnotherTable ? 0 : since.documents;
        document < image.documents.length;
        document++
      ) {
        if (image.vectors()?.has(document) || !image.holds(document)) continue;
        if (image.documents.kind(document) !== 'fact') continue;
        const id = image.ids.idOf(document).toString('hex');
        queue.add({
          id: `${keys.ns.toString('hex')} ${id}`,
          text: meaningOf(image.documents.content(document)),
        });
      }
    },
    ofQuery: (keys, text) => queries.of(text, keys.ns.toString('hex')),
    status: () => ({ ...queue.status(), model: embedder.id, problem: queries.problem() }),
    drained: queue.drained,
    async close() {
      await queue.close();
      await embedder.close();
    },
  };
}
