import { parentPort, workerData } from 'node:worker_threads';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { compacted } from '../recall/image/compact.ts';
import { createImage } from '../recall/image/image.ts';
import { type ImageParts, takeApart } from '../recall/image/image-transfer.ts';
import { catchUp, type Loaded } from '../recall/image/load.ts';
import { openReader } from '../stores/open.ts';

// Opening and reading a hundred thousand rows leaves garbage whose collection would stop every request on the main thread.

export interface ImageRequest {
  number: number;
  keys: NamespaceKeys;
  nowMs: number;
}

export interface ImageAnswer {
  number: number;
  /** None when it failed; why does not matter, because the main thread tries the same and says it. */
  made?: { parts: ImageParts; loaded: Loaded };
}

const port = parentPort!;
const { db } = workerData as { db: string };

async function load({ keys, nowMs }: ImageRequest) {
  const store = await openReader(db, () => nowMs);
  try {
    const image = createImage();
    const loaded = await catchUp({ store, now: () => nowMs }, keys, image, undefined);
    // A row that was changed while it was being read has been met twice.
    return { loaded, image: image.dead > 0 ? await compacted(image, nowMs) : image };
  } finally {
    await store.close();
  }
}

port.on('message', async (request: ImageRequest) => {
  const { number } = request;
  try {
    const { image, loaded } = await load(request);
    const { parts, memory } = takeApart(image);
    port.postMessage({ number, made: { parts, loaded } } satisfies ImageAnswer, memory);
  } catch {
    port.postMessage({ number } satisfies ImageAnswer);
  }
});
