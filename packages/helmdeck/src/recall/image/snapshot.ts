import { type NamespaceKeys, openBytes, sealBytes } from '../../memory/crypto/sealed.ts';
import type { Position } from '../../memory/store.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { usedBytes } from '../index/paged-array.ts';
import { createImage, type Image } from './image.ts';

// Snapshots: saves an image as sealed bytes and loads it again, so that a restart need not decrypt and index every row.

/** Where snapshots are stored: sealed bytes by namespace. */
export interface SnapshotStore {
  /** The bytes in pieces of any size, each valid until the next is read; empty if there is no snapshot. */
  read(ns: Uint8Array): AsyncIterable<Uint8Array>;
  /** Atomic: a failed write leaves the previous snapshot. */
  write(ns: Uint8Array, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  remove(ns: Uint8Array): Promise<void>;
}

/** Incremented whenever the same text would be indexed differently: an older snapshot then does not open. */
const FORMAT = 9;
const CHUNK_BYTES = 1 << 20;
const LENGTH_BYTES = 4;
/** More than sealing adds to a chunk. */
const MAX_SEAL_BYTES = 64;

interface Header extends Position {
  lists: number[];
  textPages: number[];
  totalLength: number;
}

const context = (number: number) => `snapshot ${FORMAT} ${number}`;

/** Seals an image and writes it; it must have no dead documents. */
export async function writeSnapshot(
  snapshots: SnapshotStore,
  keys: NamespaceKeys,
  image: Image,
  position: Position,
): Promise<void> {
  await snapshots.write(keys.ns, sealedChunks(keys, image, position));
}

async function* sealedChunks(
  keys: NamespaceKeys,
  image: Image,
  position: Position,
): AsyncGenerator<Uint8Array> {
  const yieldIfDue = createYielder();
  let number = 0;
  for (const chunk of chunked(plainParts(image, position))) {
    const sealed = sealBytes(keys, context(number++), chunk);
    yield lengthOf(sealed);
    yield sealed;
    await yieldIfDue();
  }
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(part.length);
  return length;
}

function* plainParts(image: Image, { seq, epoch }: Position): Generator<Uint8Array> {
  const { lists } = image;
  const textPages = image.documents.texts.usedPages();
  const header: Header = {
    seq,
    epoch,
    lists: lists.map((list) => list.length),
    textPages: textPages.map((page) => page.length),
    totalLength: image.index.totalLength(),
  };
  yield* framed(JSON.stringify(header));
  for (const list of lists) yield* usedBytes(list);
  yield* textPages;
}

function framed(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text);
  return [lengthOf(bytes), bytes];
}

/** Regroups bytes into chunks of one size. */
function* chunked(parts: Iterable<Uint8Array>): Generator<Buffer> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = 0;
  for (let part of parts) {
    while (part.length > 0) {
      const taken = Math.min(part.length, CHUNK_BYTES - used);
      chunk.set(part.subarray(0, taken), used);
      used += taken;
      part = part.subarray(taken);
      if (used < CHUNK_BYTES) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      used = 0;
    }
  }
  if (used > 0) yield chunk.subarray(0, used);
}

/** Loads a snapshot; rejects if there is none, it does not open, or it has another format. */
export async function readSnapshot(
  snapshots: SnapshotStore,
  keys: NamespaceKeys,
): Promise<{ image: Image; position: Position }> {
  const chunks = openedChunks(keys, snapshots.read(keys.ns));
  try {
    return await restore(createReader(chunks));
  } finally {
    await chunks.return(undefined);
  }
}

/** Decrypts chunk by chunk; ends early if one does not open. */
async function* openedChunks(keys: NamespaceKeys, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  // One buffer for all chunks, so that a large snapshot is never in memory twice.
  const framed = Buffer.allocUnsafeSlow(LENGTH_BYTES + CHUNK_BYTES + MAX_SEAL_BYTES);
  const wanted = () => LENGTH_BYTES + (filled < LENGTH_BYTES ? 0 : framed.readUInt32BE());
  let filled = 0;
  let number = 0;
  for await (let piece of pieces) {
    while (piece.length > 0) {
      const taken = Math.min(piece.length, wanted() - filled);
      framed.set(piece.subarray(0, taken), filled);
      filled += taken;
      piece = piece.subarray(taken);
      if (wanted() > framed.length) return;
      if (filled <= LENGTH_BYTES || filled < wanted()) continue;
      const chunk = openBytes(keys, context(number++), framed.subarray(LENGTH_BYTES, filled));
      if (!chunk) return;
      yield chunk;
      filled = 0;
    }
  }
}

/** Reads across chunk boundaries. */
function createReader(chunks: AsyncIterator<Buffer>) {
  let chunk: Buffer = Buffer.alloc(0);
  async function read(into: Uint8Array): Promise<void> {
    for (let filled = 0; filled < into.length; ) {
      if (chunk.length === 0) {
        const next = await chunks.next();
        if (next.done) throw new RangeError('the snapshot ends early');
        chunk = next.value;
      }
      const taken = Math.min(chunk.length, into.length - filled);
      into.set(chunk.subarray(0, taken), filled);
      chunk = chunk.subarray(taken);
      filled += taken;
    }
  }
  async function take(size: number): Promise<Buffer> {
    const taken = Buffer.allocUnsafe(size);
    await read(taken);
    return taken;
  }
  return { read, take };
}

async function restore({ read, take }: ReturnType<typeof createReader>) {
  const yieldIfDue = createYielder();
  const length = (await take(LENGTH_BYTES)).readUInt32BE();
  const header = JSON.parse((await take(length)).toString('utf8')) as Header;
  const image = createImage();
  for (const [number, list] of image.lists.entries()) {
    while (list.length < header.lists[number]!) {
      await read(list.extend(header.lists[number]! - list.length));
      await yieldIfDue();
    }
  }
  for (const size of header.textPages) {
    await read(image.documents.texts.addPage(size));
    await yieldIfDue();
  }
  image.index.restore(header.totalLength);
  return { image, position: { seq: header.seq, epoch: header.epoch } };
}
