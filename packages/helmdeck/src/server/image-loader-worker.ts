import { parentPort, workerData } from 'node:worker_threads';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { compacted } from '../recall/image/compact.ts';
import { createImage } from '../recall/image/image.ts';
import { detach, type ImageParts } from '../recall/image/image-transfer.ts';
import { catchUp, type LoadResult } from '../recall/image/load.ts';
import { openReader } from '../stores/open.ts';

// Builds images off the main thread: decrypting a hundred thousand rows leaves garbage whose collection would stall every
// request there.

export interface ImageRequest {
  number: number;
  keys: NamespaceKeys;
  nowMs: number;
}

export interface ImageAnswer {
  number: number;
  /** Absent after a failure; the main thread then tries the same and reports why it fails. */
  made?: { parts: ImageParts; loaded: LoadResult };
}

const port = parentPort!;
const { db } = workerData as { db: string };

async function load({ keys, nowMs }: ImageRequest) {
  const store = await openReader(db, () => nowMs);
  try {
    const image = createImage();
    const loaded = await catchUp({ store, now: () => nowMs }, keys, image, undefined);
    // A row that changed during the scan was added twice.
    return { loaded, image: image.dead > 0 ? await compacted(image, nowMs) : image };
  } finally {
    await store.close();
  }
}

port.on('message', async (request: ImageRequest) => {
  const { number } = request;
  try {
    const { image, loaded } = await load(request);
    const { parts, memory } = detach(image);
    port.postMessage({ number, made: { parts, loaded } } satisfies ImageAnswer, memory);
  } catch {
    port.postMessage({ number } satisfies ImageAnswer);
  }
});
