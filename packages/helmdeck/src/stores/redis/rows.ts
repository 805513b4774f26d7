import { KINDS, type Kind } from '../../memory/entry.ts';
import type { Op, Row } from '../../memory/store.ts';

// Packs operations for the Lua scripts and unpacks the rows that they store. The layout is described in
// lua/packed-layout.lua.

const ROW_NUMBERS = 4;
const DOUBLE_BYTES = 8;

/** Packs one operation of a batch for apply.lua. */
export function packOp(op: Op): Buffer {
  if (op.type === 'deleteWhere') {
    const texts = [op.group ?? new Uint8Array(), ...(op.kinds ?? KINDS).map((kind) => Buffer.from(kind))];
    const withLengths = texts.flatMap((text) => [Buffer.of(text.length), text]);
    return Buffer.concat([Buffer.from('w'), doubles(op.limit ?? -1), ...withLengths]);
  }
  const expected = doubles(op.ifRev ?? -1);
  if (op.type === 'delete') return Buffer.concat([Buffer.from('d'), op.id, expected]);
  return Buffer.concat([Buffer.from('p'), op.row.id, expected, packRow(op.row)]);
}

export function doubles(...numbers: number[]): Buffer {
  const packed = Buffer.allocUnsafe(numbers.length * DOUBLE_BYTES);
  for (const [i, number] of numbers.entries()) packed.writeDoubleBE(number, i * DOUBLE_BYTES);
  return packed;
}

/** The script that stores the row prepends the seq. */
function packRow({ kind, group, body, rev, createdMs, updatedMs, expiresMs }: Omit<Row, 'seq'>): Buffer {
  const groupBytes = group?.length ?? 0;
  const headerBytes = 2 + kind.length + groupBytes + ROW_NUMBERS * DOUBLE_BYTES;
  const packed = Buffer.allocUnsafe(headerBytes + body.length);
  let at = packed.writeUInt8(kind.length, 0);
  at += packed.write(kind, at, 'latin1');
  at = packed.writeUInt8(groupBytes, at);
  if (group) packed.set(group, at);
  at += groupBytes;
  for (const number of [rev, createdMs, updatedMs, expiresMs ?? Number.NaN])
    at = packed.writeDoubleBE(number, at);
  packed.set(body, at);
  return packed;
}

export function unpackRow(id: Uint8Array, packed: Buffer): Row {
  let at = DOUBLE_BYTES;
  const readText = () => {
    const from = at + 1;
    at = from + packed.readUInt8(at);
    return packed.subarray(from, at);
  };
  const kind = readText().toString('latin1') as Kind;
  const group = readText();
  const [rev, createdMs, updatedMs, expiresMs] = [0, 1, 2, 3].map((i) =>
    packed.readDoubleBE(at + i * DOUBLE_BYTES),
  );
  return {
    id: new Uint8Array(id),
    kind,
    group: group.length === 0 ? null : new Uint8Array(group),
    body: new Uint8Array(packed.subarray(at + ROW_NUMBERS * DOUBLE_BYTES)),
    seq: packed.readDoubleBE(0),
    rev: rev!,
    createdMs: createdMs!,
    updatedMs: updatedMs!,
    expiresMs: Number.isNaN(expiresMs) ? null : expiresMs!,
  };
}
