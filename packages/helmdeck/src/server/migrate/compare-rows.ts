import { createHash, type Hash } from 'node:crypto';
import { isLive } from '../../memory/entry.ts';
import { everyRow } from '../../memory/every-row.ts';
import type { Row, Store } from '../../memory/store.ts';

// Verifies a migration: compares the rows of a namespace in the copy with those in the original.

/** Bounds the RAM for missing rows; fewer than this expire while a copy is made. */
const MAX_MISSING_ROWS = 100_000;

/** The result of comparing a copy of a namespace with the original. */
export interface Comparison {
  /** `partial`: the rows that exist are equal, others are missing. `differs`: a row is not in the original. */
  state: 'complete' | 'partial' | 'differs';
  /** The number of rows that are equal on both sides. */
  rows: number;
  /** The `seq` of the last of them in the original. */
  afterSeq: number;
  /** SHA-256 over those rows. */
  digest: Buffer;
}

/**
 * Compares in one merge pass: a copy has the same row order, so both sides are read once, and only the missing rows are
 * held in RAM. A row may be missing because it expired meanwhile, or was deleted with its parent.
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
  const missing = createMissingRows(now);
  const equal = { rows: 0, afterSeq: 0 };
  const result = (state: Comparison['state']) => ({ state, ...equal, digest: hash.digest() });
  let next = await copied.next();
  for await (const row of everyRow(original, ns)) {
    if (!next.done && sameRow(row, next.value)) {
      addRow(hash, row);
      equal.rows++;
      equal.afterSeq = row.seq;
      onRow();
      next = await copied.next();
    } else if (!missing.add(row)) return result(next.done ? 'partial' : 'differs');
  }
  if (!next.done) return result('differs');
  return result(missing.allExplained() ? 'complete' : 'partial');
}

/** Collects the rows that a copy lacks, and whether expiry explains all of them. */
function createMissingRows(now: () => number) {
  const missing = new Set<string>();
  const parents = new Set<string>();
  return {
    /** False if expiry cannot explain that this row is missing. */
    add(row: Row): boolean {
      if (isLive(row, now())) {
        if (row.group === null || missing.size >= MAX_MISSING_ROWS) return false;
        parents.add(hex(row.group));
      }
      missing.add(hex(row.id));
      return true;
    },
    /** A missing live row is explained if its parent is missing too, and so on. */
    allExplained: () => [...parents].every((parent) => missing.has(parent)),
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
