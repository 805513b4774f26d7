/** A stem with its share of English text and its vector, of a length of about 1. */
export interface WordRow {
  stem: string;
  share: number;
  vector: Float32Array;
}

const MAGIC = 'HDWT0001';
const STEPS_PER_NAT = 20;

/** Encodes a table for `readWordTable`. */
export function encodeWords(rows: readonly WordRow[]): Buffer {
  const sorted = [...rows].sort((a, b) => (a.stem < b.stem ? -1 : 1));
  if (sorted.some(({ stem }) => !/^[\x21-\x7e]+$/.test(stem))) throw new Error('Stems must be ASCII.');
  const dimensions = sorted[0]!.vector.length;
  const header = Buffer.from(`${MAGIC}........`, 'latin1');
  header.writeUInt32LE(sorted.length, 8);
  header.writeUInt32LE(dimensions, 12);
  const starts = Buffer.alloc(4 * (sorted.length + 1));
  let end = 0;
  for (const [number, { stem }] of sorted.entries()) {
    end += stem.length;
    starts.writeUInt32LE(end, 4 * (number + 1));
  }
  const nats = sorted.map(({ share }) => Math.min(255, Math.round(-Math.log(share) * STEPS_PER_NAT)));
  const vectors = sorted.map(({ vector }) => quantised(vector));
  const text = Buffer.from(sorted.map(({ stem }) => stem).join(''), 'latin1');
  return Buffer.concat([header, starts, Buffer.from(nats), ...vectors, text]);
}

/** A vector as signed bytes. */
function quantised(vector: Float32Array): Buffer {
  return Buffer.from(
    Int8Array.from(vector, (value) => Math.round(Math.max(-1, Math.min(1, value)) * 127)).buffer,
  );
}
