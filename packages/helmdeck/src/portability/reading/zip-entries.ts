import { crc32, createInflateRaw } from 'node:zlib';
import { AppError } from '../../errors.ts';

// Reads a zip archive from its beginning, without a copy on disk: an export is plaintext, and the server keeps none.

export interface ZipEntry {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

const LOCAL_FILE = 0x04034b50;
const CENTRAL_DIRECTORY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const ZIP64_END = 0x06064b50;
const ARCHIVE_EXTRA = 0x08064b50;
const DESCRIPTOR = 0x08074b50;
const LOCAL_HEADER_BYTES = 30;
const ENCRYPTED = 0x0001;
const HAS_DESCRIPTOR = 0x0008;
const STORED = 0;
const DEFLATED = 8;
const ZIP64_SIZE = 0xffffffff;
const MAX_ENTRIES = 50_000;
const MAX_NAME_BYTES = 4_096;
/** Text compresses about five times, JSON up to twenty; what a bomb does is beyond this. */
const MAX_RATIO = 200;
const MIN_CHECKED_BYTES = 16_777_216;
const MAX_TOTAL_BYTES = 8_589_934_592;

export function isZip(head: Uint8Array): boolean {
  return head.length >= 4 && Buffer.from(head.buffer, head.byteOffset, 4).readUInt32LE(0) === LOCAL_FILE;
}

/** The files of an archive in their order. Each must be read to its end before the next. */
export async function* zipEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ZipEntry> {
  const input = new ByteReader(archive);
  const total = { bytes: 0 };
  for (let count = 0; ; count++) {
    const signature = (await input.peek(4))?.readUInt32LE(0);
    if (
      signature === CENTRAL_DIRECTORY ||
      signature === END_OF_DIRECTORY ||
      signature === ZIP64_END ||
      signature === ARCHIVE_EXTRA
    )
      return input.drain();
    if (signature !== LOCAL_FILE) throw broken();
    if (count === MAX_ENTRIES) throw bomb(`it has more than ${MAX_ENTRIES} files`);
    const header = await readHeader(input);
    async function* bytes() {
      let sum = 0;
      for await (const chunk of contentOf(input, header)) {
        total.bytes += chunk.length;
        if (total.bytes > MAX_TOTAL_BYTES) throw bomb('it is larger than 8 GB');
        sum = crc32(chunk, sum);
        yield chunk;
      }
      if (sum !== (header.hasDescriptor ? await readDescriptor(input) : header.crc)) throw damaged();
    }
    const content = bytes();
    if (!header.name.endsWith('/')) {
      assertInside(header.name);
      yield { name: header.name, bytes: content };
    }
    for await (const _ of content); // what the reader left
  }
}

interface Header {
  name: string;
  method: number;
  compressedBytes: number | undefined;
  hasDescriptor: boolean;
  /** Of the content; without a descriptor. */
  crc: number;
}

async function readHeader(input: ByteReader): Promise<Header> {
  const fixed = await input.read(LOCAL_HEADER_BYTES);
  const flags = fixed.readUInt16LE(6);
  const method = fixed.readUInt16LE(8);
  const nameBytes = fixed.readUInt16LE(26);
  if (nameBytes > MAX_NAME_BYTES) throw broken();
  const name = (await input.read(nameBytes)).toString('utf8');
  const extra = await input.read(fixed.readUInt16LE(28));
  if (flags & ENCRYPTED)
    throw new AppError('invalid_input', 'The archive is encrypted.', { hint: 'Unpack it first.' });
  if (method !== STORED && method !== DEFLATED)
    throw new AppError('invalid_input', 'The archive is compressed in a way that is not supported.', {
      hint: 'Unpack it first, and import the folder.',
    });
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  const size = fixed.readUInt32LE(18);
  const compressedBytes = hasDescriptor ? undefined : size === ZIP64_SIZE ? zip64Size(extra) : size;
  if (method === STORED && compressedBytes === undefined) throw broken();
  return { name, method, compressedBytes, hasDescriptor, crc: fixed.readUInt32LE(14) };
}

/** The compressed size in the extra field of a large file: after the size of the content. */
function zip64Size(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1 && at + 20 <= extra.length)
      return Number(extra.readBigUInt64LE(at + 12));
  }
  throw broken();
}

/** Refuses names that would lead out of a folder. Nothing is written to disk, but such an archive is no export. */
function assertInside(name: string): void {
  const parts = name.split(/[/\\]/);
  if (
    !name.includes('\0') &&
    !name.startsWith('/') &&
    !name.includes('\\') &&
    !parts.includes('..') &&
    !/^[a-z]:/i.test(name)
  )
    return;
  throw new AppError('invalid_input', 'The archive has a file whose name leads out of its folder.', {
    reason: 'unsafe_archive',
    hint: 'Export it again; do not unpack this archive.',
  });
}

async function* contentOf(input: ByteReader, { method, compressedBytes }: Header): AsyncGenerator<Buffer> {
  if (method === STORED) {
    let left = compressedBytes!;
    while (left > 0) {
      const chunk = await input.some(left);
      left -= chunk.length;
      yield chunk;
    }
    return;
  }
  yield* inflated(input, compressedBytes);
}

async function* inflated(input: ByteReader, compressedBytes: number | undefined): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  const out: Buffer[] = [];
  let isEnded = false;
  let failed: Error | undefined;
  inflate.on('data', (chunk: Buffer) => out.push(chunk));
  inflate.on('end', () => {
    isEnded = true;
  });
  inflate.on('error', (error) => {
    failed = error;
  });
  let fed = 0;
  let produced = 0;
  while (!isEnded) {
    if (fed === compressedBytes) {
      await new Promise<void>((resolve) => {
        inflate.once('end', resolve);
        inflate.once('error', () => resolve());
        inflate.end();
      });
      if (failed) throw broken();
      yield* out.splice(0);
      break;
    }
    // Small pieces, so that little is produced before it is checked.
    const chunk = await input.some(
      Math.min(16_384, compressedBytes === undefined ? 16_384 : compressedBytes - fed),
    );
    fed += chunk.length;
    await new Promise<void>((resolve) => {
      inflate.write(chunk, () => setImmediate(resolve));
      inflate.once('error', () => resolve());
    });
    if (failed) throw broken();
    for (const piece of out.splice(0)) {
      produced += piece.length;
      if (produced > MIN_CHECKED_BYTES && produced > fed * MAX_RATIO)
        throw bomb('it would unpack to far more than its size');
      yield piece;
    }
  }
  // The stream ended inside the last chunk: what follows belongs to the next file.
  const unused = fed - inflate.bytesWritten;
  if (unused > 0) input.unread(unused);
  inflate.destroy();
}

/** Reads the descriptor after a file; returns the CRC of its content. */
async function readDescriptor(input: ByteReader): Promise<number> {
  // The signature is optional, and the sizes have 4 or 8 bytes: the next signature tells which.
  const ahead = await input.peek(24, true);
  if (!ahead) throw broken();
  const skip = ahead.length >= 4 && ahead.readUInt32LE(0) === DESCRIPTOR ? 4 : 0;
  if (ahead.length < skip + 12) throw broken();
  const crc = ahead.readUInt32LE(skip);
  for (const size of [12, 20]) {
    const at = skip + size;
    if (ahead.length < at + 4) continue;
    if ([LOCAL_FILE, CENTRAL_DIRECTORY, ARCHIVE_EXTRA].includes(ahead.readUInt32LE(at))) {
      await input.read(at);
      return crc;
    }
  }
  const long = await input.peek(skip + 24, true);
  if (
    long &&
    long.length >= skip + 24 &&
    [LOCAL_FILE, CENTRAL_DIRECTORY].includes(long.readUInt32LE(skip + 20))
  ) {
    await input.read(skip + 20);
    return crc;
  }
  throw broken();
}

/** Bytes of a stream by count, with a way back within the last chunk. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);
  #last: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async #fill(count: number): Promise<boolean> {
    while (this.#buffer.length < count) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#buffer = Buffer.concat([this.#buffer, value]);
    }
    return true;
  }

  /** The next bytes without reading them; undefined, or fewer if asked for, at the end of the stream. */
  async peek(count: number, orFewer = false): Promise<Buffer | undefined> {
    const isFilled = await this.#fill(count);
    return isFilled || orFewer ? this.#buffer.subarray(0, count) : undefined;
  }

  async read(count: number): Promise<Buffer> {
    if (!(await this.#fill(count))) throw broken();
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    return bytes;
  }

  /** Some of the next bytes, at least one. */
  async some(max: number): Promise<Buffer> {
    if (!(await this.#fill(1))) throw broken();
    this.#last = this.#buffer.subarray(0, max);
    this.#buffer = this.#buffer.subarray(this.#last.length);
    return this.#last;
  }

  /** Gives back the end of what `some` returned. */
  unread(count: number): void {
    this.#buffer = Buffer.concat([this.#last.subarray(this.#last.length - count), this.#buffer]);
  }

  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }
}

const broken = () =>
  new AppError('invalid_input', 'The archive is damaged or cut; the files before were read.', {
    reason: 'cut_file',
  });
const damaged = () =>
  new AppError('invalid_input', 'A file in the archive is damaged: its checksum does not match.', {
    reason: 'bad_checksum',
    hint: 'Export it again. What was read of that file before may be wrong: look at it in the inbox.',
  });
const bomb = (why: string) =>
  new AppError('payload_too_large', `The archive is refused: ${why}.`, { reason: 'unsafe_archive' });
