import { crc32, deflateRawSync } from 'node:zlib';

export interface ZippedFile {
  name: string;
  text: string | Buffer;
  /** As streaming programs write it: sizes after the content. */
  withDescriptor?: boolean;
  stored?: boolean;
  /** The checksum is that of another text. */
  sumOf?: string;
}

/** A zip archive, also one that no honest program writes. */
export function zipFile(files: readonly ZippedFile[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, withDescriptor = false, stored = false, sumOf } of files) {
    const content = Buffer.from(text);
    const body = stored ? content : deflateRawSync(content);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(withDescriptor ? 8 : 0, 6);
    header.writeUInt16LE(stored ? 0 : 8, 8);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(sumOf ?? content), 0);
    sizes.writeUInt32LE(body.length, 4);
    sizes.writeUInt32LE(content.length, 8);
    if (!withDescriptor) sizes.copy(header, 14);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    sizes.copy(entry, 16);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, Buffer.from(name));
    const signature = Buffer.from([0x50, 0x4b, 0x07, 0x08]);
    const file = [header, Buffer.from(name), body, ...(withDescriptor ? [signature, sizes] : [])];
    parts.push(...file);
    offset += Buffer.concat(file).length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  return Buffer.concat([...parts, ...directory, end]);
}
