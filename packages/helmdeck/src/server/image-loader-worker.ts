import { parentPort, workerData } from 'node:worker_threads';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { type CatchUpResult, catchUp } from '../recall/image/catch-up.ts';
import { compacted } from '../recall/image/compact.ts';
import { createImage } from '../recall/image/image.ts';
import { detach, type ImageParts } from '../recall/image/image-transfer.ts';
import { openReader } from '../stores/open.ts';

// Worker thread of image-loader.ts: builds images off the main thread, where collecting the garbage of a hundred thousand
// decrypted rows would stall every request.

export interface ImageRequest {
  number: number;
  keys: NamespaceKeys;
  nowMs: number;
}

export interface ImageResponse {
  number: number;
  /** Absent after a failure; the main thread then tries the same and reports why it fails. */
  made?: { parts: ImageParts; loaded: CatchUpResult };
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
    port.postMessage({ number, made: { parts, loaded } } satisfies ImageResponse, memory);
  } catch {
    port.postMessage({ number } satisfies ImageResponse);
  }
});
