import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../memory/crypto/keyring.ts';
import { isSealedBackup, openBackup, sealBackup } from './sealed-backup.ts';

const MIB = 1_048_576;
const keyring = createKeyring({ current: Buffer.alloc(32, 1) });

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
const seal = (plain: Buffer, piece = 300_000) => all(sealBackup(inChunks(plain, piece), keyring));
const open = (sealed: Buffer, ring = keyring, piece = 70_000) =>
  all(openBackup(inChunks(sealed, piece), ring));

describe('sealed backups', () => {
  it('a sealed backup decrypts to the original bytes for any size and any chunking', async () => {
    for (const size of [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 5]) {
      const plain = randomBytes(size);
      const sealed = await seal(plain);
      expect(isSealedBackup(sealed)).toBe(true);
      expect((await open(sealed)).equals(plain), String(size)).toBe(true);
      expect((await open(sealed, keyring, 5 * MIB)).equals(plain), String(size)).toBe(true);
    }
  });

  it('a sealed backup contains no plaintext, and sealing twice gives different bytes', async () => {
    const plain = Buffer.from('SQLite format 3\0 and everything that a file tells'.repeat(50));
    const [one, two] = [await seal(plain), await seal(plain)];
    expect(one.includes('SQLite')).toBe(false);
    expect(one.subarray(-200).equals(two.subarray(-200))).toBe(false);
  });

  it('a truncated, changed or reassembled backup is refused as damaged', async () => {
    const plain = randomBytes(3 * MIB + 5);
    const sealed = await seal(plain);
    const header = sealed.length - plain.length - 4 * 16;
    const frame = MIB + 16;
    const at = (number: number) => sealed.subarray(header + number * frame, header + (number + 1) * frame);
    const changed = Buffer.from(sealed);
    changed[header + 100]! ^= 1;
    const broken = {
      changed,
      'truncated inside a frame': sealed.subarray(0, -3),
      'truncated between frames': sealed.subarray(0, header + 2 * frame),
      'a frame omitted': Buffer.concat([sealed.subarray(0, header), at(0), at(2), at(3)]),
      'frames swapped': Buffer.concat([sealed.subarray(0, header), at(1), at(0), at(2), at(3)]),
      'nothing but a header': sealed.subarray(0, header),
      'half a header': sealed.subarray(0, 20),
    };
    for (const [how, bytes] of Object.entries(broken))
      await expect(open(bytes), how).rejects.toMatchObject({ reason: 'damaged' });
  });

  it('a sealed backup opens with a previous key after a rotation, and with no other key', async () => {
    const sealed = await seal(Buffer.from('x'));
    const rotated = createKeyring({ current: Buffer.alloc(32, 2), previous: [Buffer.alloc(32, 1)] });
    expect((await open(sealed, rotated)).toString()).toBe('x');
    const other = createKeyring({ current: Buffer.alloc(32, 2) });
    await expect(open(sealed, other)).rejects.toMatchObject({ reason: 'wrong_key' });
  });
});
