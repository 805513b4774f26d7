import { createHash, type Hash } from 'node:crypto';
import { isLive } from '../../memory/entry.ts';
import { everyRow } from '../../memory/every-row.ts';
import type { Row, Store } from '../../memory/store.ts';

/** Bounds what is kept of rows that are missing; so many do not expire while a copy is made. */
const MAX_MISSING = 100_000;

/** How a copy of a namespace stands beside its original. */
export interface Comparison {
  /** `partial`: what is there is right, and the rest is missing. `differs`: something in it is not the original's. */
  state: 'complete' | 'partial' | 'differs';
  /** Rows that are the same on both sides. */
  rows: number;
  /** Position of the last of them in the original. */
  afterSeq: number;
  /** SHA-256 over those rows. */
  digest: Buffer;
}

/**
 * Walks original and copy side by side. A copy keeps the order of its original, so both are read once and nothing
 * but the rows that are missing is kept. A row may be missing because it expired meanwhile, or went with its parent.
 */
export async function compareRows(
  original: Store,
  copy: Store,
  ns: Uint8Array,
  now: () => number,
  onRow: () => void = () => {},
): Promise<Comparison> {
  const copied = everyRow(copy, ns);
  const hash = createHash('sha256');
  const missing = createMissing(now);
  const found = { rows: 0, afterSeq: 0 };
  const result = (state: Comparison['state']) => ({ state, ...found, digest: hash.digest() });
  let next = await copied.next();
  for await (const row of everyRow(original, ns)) {
    if (!next.done && sameRow(row, next.value)) {
      addRow(hash, row);
      found.rows++;
      found.afterSeq = row.seq;
      onRow();
      next = await copied.next();
    } else if (!missing.add(row)) return result(next.done ? 'partial' : 'differs');
  }
  if (!next.done) return result('differs');
  return result(missing.excused() ? 'complete' : 'partial');
}

/** The rows a copy lacks, as far as there may be an excuse. */
function createMissing(now: () => number) {
  const gone = new Set<string>();
  const parents = new Set<string>();
  return {
    /** False when nothing can excuse it. */
    add(row: Row): boolean {
      if (isLive(row, now())) {
        if (row.group === null || gone.size >= MAX_MISSING) return false;
        parents.add(hex(row.group));
      }
      gone.add(hex(row.id));
      return true;
    },
    /** A live row is excused when its parent is missing too, and that one in turn. */
    excused: () => [...parents].every((parent) => gone.has(parent)),
  };
}

function sameRow(a: Row, b: Row): boolean {
  return (
    a.rev === b.rev &&
    a.kind === b.kind &&
    a.createdMs === b.createdMs &&
    a.updatedMs === b.updatedMs &&
    a.expiresMs === b.expiresMs &&
    sameBytes(a.id, b.id) &&
    (a.group === null ? b.group === null : b.group !== null && sameBytes(a.group, b.group)) &&
    sameBytes(a.body, b.body)
  );
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function addRow(hash: Hash, { id, kind, group, body, rev, createdMs, updatedMs, expiresMs }: Row): void {
  hash.update(id).update(JSON.stringify([kind, group && hex(group), rev, createdMs, updatedMs, expiresMs]));
  hash.update(createHash('sha256').update(body).digest());
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
