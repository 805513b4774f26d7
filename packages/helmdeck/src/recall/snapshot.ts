import { type NamespaceKeys, openBytes, sealBytes } from '../memory/sealed.ts';
import type { Head } from '../memory/store.ts';
import { takeTurns } from '../memory/turns.ts';
import { createImage, type Image, listsOf } from './image.ts';
import { usedBytes } from './paged.ts';

/** Where snapshots are kept: bytes by namespace, sealed before they get there. */
export interface SnapshotShelf {
  read(ns: Uint8Array): Promise<Buffer | undefined>;
  /** All or nothing. */
  write(ns: Uint8Array, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  remove(ns: Uint8Array): Promise<void>;
}

/** Moves whenever the same text would be indexed another way: an older snapshot then does not open. */
const FORMAT = 3;
const CHUNK_BYTES = 1 << 20;
const LENGTH_BYTES = 4;

interface Header extends Head {
  lists: number[];
  textPages: number[];
}

const context = (number: number) => `snapshot ${FORMAT} ${number}`;

/** Seals an image as it is; it must have no dead documents. */
export async function writeSnapshot(
  shelf: SnapshotShelf,
  keys: NamespaceKeys,
  image: Image,
  head: Head,
): Promise<void> {
  await shelf.write(keys.ns, sealedChunks(keys, image, head));
}

async function* sealedChunks(keys: NamespaceKeys, image: Image, head: Head): AsyncGenerator<Uint8Array> {
  const nextTurn = takeTurns();
  let number = 0;
  for (const chunk of chunked(plainParts(image, head))) {
    const sealed = sealBytes(keys, context(number++), chunk);
    yield lengthOf(sealed);
    yield sealed;
    await nextTurn();
  }
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(part.length);
  return length;
}

function* plainParts(image: Image, { seq, epoch }: Head): Generator<Uint8Array> {
  const lists = listsOf(image);
  const textPages = image.documents.texts.usedPages();
  const header: Header = {
    seq,
    epoch,
    lists: lists.map((list) => list.length),
    textPages: textPages.map((page) => page.length),
  };
  yield* framed(JSON.stringify(header));
  for (const list of lists) yield* usedBytes(list);
  yield* textPages;
}

function framed(text: string): [Buffer, Buffer] {
  const bytes = Buffer.from(text);
  return [lengthOf(bytes), bytes];
}

/** The same bytes in pieces of one size. */
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

/** The image as it was when it was saved; nothing when there is none, or it does not open, or is of another format. */
export async function readSnapshot(
  shelf: SnapshotShelf,
  keys: NamespaceKeys,
): Promise<{ image: Image; head: Head } | undefined> {
  const sealed = await shelf.read(keys.ns);
  return sealed && restore(openedChunks(keys, sealed));
}

/** The plain chunks one after the other; ends early where one does not open. */
function* openedChunks(keys: NamespaceKeys, sealed: Buffer): Generator<Buffer> {
  for (let at = 0, number = 0; at + LENGTH_BYTES <= sealed.length; number++) {
    const start = at + LENGTH_BYTES;
    at = start + sealed.readUInt32BE(at);
    const chunk = openBytes(keys, context(number), sealed.subarray(start, at));
    if (!chunk) return;
    yield chunk;
  }
}

/** Reads across the borders of chunks. */
function createReader(chunks: Iterator<Buffer>) {
  let chunk: Buffer = Buffer.alloc(0);
  function read(into: Uint8Array): void {
    for (let filled = 0; filled < into.length; ) {
      if (chunk.length === 0) {
        const next = chunks.next();
        if (next.done) throw new RangeError('the snapshot ends early');
        chunk = next.value;
      }
      const taken = Math.min(chunk.length, into.length - filled);
      into.set(chunk.subarray(0, taken), filled);
      chunk = chunk.subarray(taken);
      filled += taken;
    }
  }
  function take(size: number): Buffer {
    const taken = Buffer.allocUnsafe(size);
    read(taken);
    return taken;
  }
  return { read, take };
}

async function restore(chunks: Iterator<Buffer>): Promise<{ image: Image; head: Head }> {
  const nextTurn = takeTurns();
  const { read, take } = createReader(chunks);
  const takeFramed = () => take(take(LENGTH_BYTES).readUInt32BE()).toString('utf8');
  const header = JSON.parse(takeFramed()) as Header;
  const image = createImage();
  for (const [number, list] of listsOf(image).entries()) {
    while (list.length < header.lists[number]!) {
      read(list.extend(header.lists[number]! - list.length));
      await nextTurn();
    }
  }
  for (const size of header.textPages) {
    read(image.documents.texts.addPage(size));
    await nextTurn();
  }
  image.index.recount();
  return { image, head: { seq: header.seq, epoch: header.epoch } };
}
