import { parentPort, workerData } from 'node:worker_threads';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { type CatchUpResult, readSpans } from '../recall/image/catch-up.ts';
import { append, compacted } from '../recall/image/compact.ts';
import { createImage, type Image } from '../recall/image/image.ts';
import { attach, detach, type ImageParts } from '../recall/image/image-transfer.ts';
import { openReader } from '../stores/open.ts';

// Worker thread of image-loader.ts: builds images off the main thread, where collecting the garbage of a hundred thousand
// decrypted rows would stall every request.

/** Reads rows up to `untilSeq`: those of each span that no other thread has claimed before. */
export interface ReadRequest {
  type: 'read';
  keys: NamespaceKeys;
  nowMs: number;
  untilSeq: number;
  /** A shared counter of the spans that are claimed. */
  claimed: SharedArrayBuffer;
}

/** Joins what several threads have read. */
export interface JoinRequest {
  type: 'join';
  nowMs: number;
  images: ImageParts[];
}

export type ImageRequest = { number: number } & (ReadRequest | JoinRequest);

export interface ImageResponse {
  number: number;
  /** Absent after a failure; the main thread then tries the same and reports why it fails. */
  made?: MadeImage;
}

export interface MadeImage {
  image: ImageParts;
  documents: number;
  /** Absent in what was joined. */
  read?: CatchUpResult;
}

/** The rows are divided into so many spans of seq, so that a thread that starts late or is slow just claims fewer. */
const SPANS = 64;

const port = parentPort!;
const { db } = workerData as { db: string };

async function readImage({ keys, nowMs, untilSeq, claimed }: ReadRequest) {
  const counter = new Int32Array(claimed);
  const edge = (span: number) => Math.floor((untilSeq * span) / SPANS);
  const nextSpan = () => {
    const span = Atomics.add(counter, 0, 1);
    return span < SPANS ? { afterSeq: edge(span), untilSeq: edge(span + 1) } : undefined;
  };
  const store = await openReader(db, () => nowMs);
  try {
    // Rows written during the scan are read again while catching up from this position.
    const position = await store.position(keys.ns);
    const image = createImage();
    const found = await readSpans({ store, now: () => nowMs }, keys, image, nextSpan);
    return { image, read: { position, ...found } };
  } finally {
    await store.close();
  }
}

async function join({ images, nowMs }: JoinRequest): Promise<Image> {
  const [image, ...others] = images.map(attach) as [Image, ...Image[]];
  for (const other of others) await append(image, other, nowMs);
  return image;
}

async function answer(request: ImageRequest): Promise<void> {
  const { number, nowMs } = request;
  const { image, read } =
    request.type === 'read' ? await readImage(request) : { image: await join(request), read: undefined };
  // A row that changed meanwhile was added twice.
  const result = image.dead > 0 ? await compacted(image, nowMs) : image;
  const { parts, memory } = detach(result);
  const made = { image: parts, documents: result.documents.length, read };
  port.postMessage({ number, made } satisfies ImageResponse, memory);
}

port.on('message', (request: ImageRequest) => {
  answer(request).catch(() => port.postMessage({ number: request.number } satisfies ImageResponse));
});
