import type { Kind } from '../../memory/entry.ts';
import {
  type ApplyResult,
  type NamespaceRecord,
  type NamespaceRef,
  type Op,
  type Row,
  StoreConflict,
  type SweptRow,
  TOMBSTONE_MS,
} from '../../memory/store.ts';
import type { SqliteDriver } from './driver.ts';
import { createPositions, type OpenNamespace } from './positions.ts';
import { ROW_COLUMNS, safeInteger } from './rows.ts';

// The statements that write: rows, tombstones, sweeps, namespaces. They run inside the transaction of the group commit.

/** What a write needs of the row it replaces or deletes. */
interface ExistingRow {
  seq: number;
  rev: number;
  kind: Kind;
  bytes: number;
}

const INSERT = `INSERT INTO rows (seq, nsno, id, kind, grp, rev, created, updated, expires, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (nsno, id) DO NOTHING`;
const UPDATE = `UPDATE rows SET seq = ?, kind = ?, grp = ?, rev = ?, created = ?, updated = ?, expires = ?, body = ?
  WHERE seq = ?`;
const EXISTING = `SELECT seq, ${safeInteger('rev')}, kind, length(body) AS bytes FROM rows WHERE nsno = ? AND id = ?`;

type PutRow = (Op & { type: 'put' })['row'];

/** Every transaction must end with `flush`; after a rollback, call `reset`. */
export function createWriter(db: SqliteDriver, now: () => number) {
  const positions = createPositions(db);
  const { namespace, advance, count } = positions;

  function put(opened: OpenNamespace, row: PutRow, existing: ExistingRow | undefined): void {
    if (!existing) {
      insert(opened, row);
      return;
    }
    const { kind, group, rev, createdMs, updatedMs, expiresMs, body } = row;
    const seq = advance(opened);
    db.run(UPDATE, seq, kind, group, rev, createdMs, updatedMs, expiresMs, body, existing.seq);
    count(opened.no, existing.kind, -1, -existing.bytes);
    count(opened.no, kind, 1, body.length);
  }

  /** Inserts a new row; returns false, without writing anything, if the id is taken. */
  function insert(opened: OpenNamespace, row: PutRow): boolean {
    const { id, kind, group, rev, createdMs, updatedMs, expiresMs, body } = row;
    const seq = positions.last() + 1;
    if (db.run(INSERT, seq, opened.no, id, kind, group, rev, createdMs, updatedMs, expiresMs, body) === 0)
      return false;
    advance(opened);
    count(opened.no, kind, 1, body.length);
    return true;
  }

  /** Deletes a row with its children and theirs. */
  function remove(nsno: number, id: Uint8Array, row: { seq: number; kind: Kind; bytes: number }): void {
    // A child may already have been deleted with its parent.
    if (!db.get('DELETE FROM rows WHERE seq = ? RETURNING seq', row.seq)) return;
    count(nsno, row.kind, -1, -row.bytes);
    const children = 'SELECT seq, id, kind, length(body) AS bytes FROM rows WHERE nsno = ? AND grp = ?';
    for (const child of db.all<ExistingRow & { id: Uint8Array }>(children, nsno, id))
      remove(nsno, child.id, child);
  }

  function deleteOne(opened: OpenNamespace, id: Uint8Array, existing: ExistingRow | undefined): number {
    if (!existing) return 0;
    remove(opened.no, id, existing);
    writeTombstone(opened.no, id, advance(opened), now());
    return 1;
  }

  function writeTombstone(nsno: number, id: Uint8Array, seq: number, atMs: number): void {
    db.run('INSERT INTO tombstones (seq, nsno, id, at) VALUES (?, ?, ?, ?)', seq, nsno, id, atMs);
  }

  function deleteWhere(opened: OpenNamespace, op: Op & { type: 'deleteWhere' }): number {
    const where = ['nsno = ?'];
    const values: (number | string | Uint8Array)[] = [opened.no];
    if (op.kinds) {
      where.push(`kind IN (${op.kinds.map(() => '?').join(', ')})`);
      values.push(...op.kinds);
    }
    if (op.group) {
      where.push('grp = ?');
      values.push(op.group);
    }
    const sql = `SELECT seq, id, kind, length(body) AS bytes FROM rows WHERE ${where.join(' AND ')} LIMIT ?`;
    const rows = db.all<ExistingRow & { id: Uint8Array }>(sql, ...values, op.limit ?? -1);
    for (const row of rows) remove(opened.no, row.id, row);
    if (rows.length > 0) {
      advance(opened);
      opened.epoch++;
    }
    return rows.length;
  }

  function apply(ref: NamespaceRef, ops: readonly Op[]): ApplyResult {
    const opened = namespace(ref.ns);
    if (!opened || opened.generation !== ref.generation) throw new StoreConflict('gone');
    const [only] = ops;
    if (ops.length === 1 && only?.type === 'put' && only.ifRev === 0) {
      // A new fact is the most frequent write: the unique index tells whether the id is taken, without a look-up.
      if (!insert(opened, only.row)) throw new StoreConflict('rev');
      return { seq: opened.seq, deleted: 0 };
    }
    const found = (id: Uint8Array) => db.get<ExistingRow>(EXISTING, opened.no, id);
    const before = ops.map((op) => {
      if (op.type === 'deleteWhere') return undefined;
      const existing = found(op.type === 'put' ? op.row.id : op.id);
      if (op.ifRev !== undefined && (existing?.rev ?? 0) !== op.ifRev) throw new StoreConflict('rev');
      return existing;
    });
    let deleted = 0;
    for (const [index, op] of ops.entries()) {
      // The row found before the batch is stale once an earlier op of the batch may have touched it.
      const existing = (id: Uint8Array) => (mayTouch(ops, index, id) ? found(id) : before[index]);
      if (op.type === 'put') put(opened, op.row, existing(op.row.id));
      else if (op.type === 'delete') deleted += deleteOne(opened, op.id, existing(op.id));
      else deleted += deleteWhere(opened, op);
    }
    return { seq: opened.seq, deleted };
  }

  function sweep(nowMs: number, limit: number): SweptRow[] {
    const due = db.all<{ seq: number; nsno: number; ns: Uint8Array }>(
      `SELECT rows.seq, nsno, ns FROM rows JOIN namespaces ON no = nsno
       WHERE expires <= ? ORDER BY expires LIMIT ?`,
      nowMs,
      limit,
    );
    const expired = due.map(({ seq, nsno, ns }) => {
      return { row: db.get<Row>(`SELECT ${ROW_COLUMNS} FROM rows WHERE seq = ?`, seq)!, nsno, ns };
    });
    for (const { row, nsno } of expired) {
      remove(nsno, row.id, { seq: row.seq, kind: row.kind, bytes: row.body.length });
      if (row.rev > 1) writeTombstone(nsno, row.id, row.seq, nowMs);
    }
    const prunable = nowMs - TOMBSTONE_MS;
    const pruned = db.all<{ nsno: number }>('DELETE FROM tombstones WHERE at <= ? RETURNING nsno', prunable);
    for (const no of new Set(pruned.map((row) => row.nsno))) positions.startEpoch(no);
    return expired.map(({ row, ns }) => ({ ...row, ns }));
  }

  return {
    namespace,
    apply,
    sweep,
    flush: positions.flush,
    reset: positions.reset,
    hasSweepWork(nowMs: number): boolean {
      const sql =
        'SELECT EXISTS (SELECT 1 FROM rows WHERE expires <= ?) OR EXISTS (SELECT 1 FROM tombstones WHERE at <= ?) AS work';
      return db.get<{ work: number }>(sql, nowMs, nowMs - TOMBSTONE_MS)!.work === 1;
    },
    createNamespace(ns: Uint8Array, blob: Uint8Array, generation: number, epoch: number): NamespaceRecord {
      const sql =
        'INSERT INTO namespaces (ns, generation, blob, seq, epoch) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      db.run(sql, ns, generation, blob, positions.last(), epoch);
      return db.get<NamespaceRecord>('SELECT ns, generation, blob FROM namespaces WHERE ns = ?', ns)!;
    },
    replaceNamespace(ref: NamespaceRef, before: Uint8Array, blob: Uint8Array): boolean {
      const sql = 'UPDATE namespaces SET blob = ? WHERE ns = ? AND generation = ? AND blob = ? RETURNING no';
      return db.get(sql, blob, ref.ns, ref.generation, before) !== undefined;
    },
    /** Deletes the namespace's record, and with it the only copy of its data key: no row of it can be opened any more. */
    dropNamespace(ns: Uint8Array): number {
      const opened = namespace(ns);
      if (!opened) return 0;
      const { rows } = db.get<{ rows: number }>(
        'SELECT count(*) AS rows FROM rows WHERE nsno = ?',
        opened.no,
      )!;
      positions.discard(ns, opened);
      db.run('INSERT INTO dropped (no) VALUES (?)', opened.no);
      db.run('DELETE FROM namespaces WHERE no = ?', opened.no);
      db.run('DELETE FROM usage WHERE nsno = ?', opened.no);
      db.run('DELETE FROM tombstones WHERE nsno = ?', opened.no);
      return rows;
    },
    /** Deletes up to `limit` rows of a dropped namespace; returns how many. */
    deleteDroppedRows(no: number, limit: number): number {
      const sql = 'DELETE FROM rows WHERE seq IN (SELECT seq FROM rows WHERE nsno = ? LIMIT ?) RETURNING 1';
      const removed = db.all(sql, no, limit).length;
      if (removed < limit) db.run('DELETE FROM dropped WHERE no = ?', no);
      return removed;
    },
  };
}

/** Whether an op before `index` may have changed or deleted the row. */
function mayTouch(ops: readonly Op[], index: number, id: Uint8Array): boolean {
  for (let earlier = 0; earlier < index; earlier++) {
    const op = ops[earlier]!;
    if (op.type !== 'put' || Buffer.compare(op.row.id, id) === 0) return true;
  }
  return false;
}
