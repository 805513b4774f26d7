/** The synonyms of one stem, best first. */
export type Row = readonly { stem: string; similarity: number }[];

const MAGIC = 'HDTH0001';

/** Encodes a table for `readThesaurus`. Every stem that occurs has a row, empty for one without synonyms. */
export function encodeTable(rows: ReadonlyMap<string, Row>): Buffer {
  const named = new Set(rows.keys());
  for (const row of rows.values()) for (const { stem } of row) named.add(stem);
  const stems = [...named].sort((a, b) => (a < b ? -1 : 1));
  // Stem ids are 16 bits wide, and the reader compares bytes with UTF-16 units.
  if (stems.length > 65_536) throw new Error(`${stems.length} stems are too many for the format.`);
  if (stems.some((stem) => !/^[\x21-\x7e]+$/.test(stem))) throw new Error('Stems must be ASCII.');

  const idOf = new Map(stems.map((stem, id) => [stem, id]));
  const textStarts = new Uint32Array(stems.length + 1);
  const rowStarts = new Uint32Array(stems.length + 1);
  const ids: number[] = [];
  const similarities: number[] = [];
  stems.forEach((stem, id) => {
    for (const neighbour of rows.get(stem) ?? []) {
      ids.push(idOf.get(neighbour.stem)!);
      similarities.push(Math.round(neighbour.similarity * 255));
    }
    textStarts[id + 1] = textStarts[id]! + stem.length;
    rowStarts[id + 1] = ids.length;
  });

  const header = Buffer.from(`${MAGIC}........`, 'latin1');
  header.writeUInt32LE(stems.length, 8);
  header.writeUInt32LE(ids.length, 12);
  return Buffer.concat([
    header,
    littleEndian(textStarts, 4),
    littleEndian(rowStarts, 4),
    littleEndian(ids, 2),
    Buffer.from(similarities),
    Buffer.from(stems.join(''), 'latin1'),
  ]);
}

function littleEndian(numbers: Iterable<number>, width: 2 | 4): Buffer {
  const list = [...numbers];
  const bytes = Buffer.alloc(list.length * width);
  list.forEach((number, index) => {
    bytes.writeUIntLE(number, index * width, width);
  });
  return bytes;
}
