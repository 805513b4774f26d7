import type { Kind } from '../../memory/entry.ts';
import type { StoreTotals, Usage } from '../../memory/store.ts';
import type { SqliteDriver } from './driver.ts';

// Counts the live rows of namespaces and their bytes by kind, for quotas and statistics.

interface UsageRow {
  ns: Uint8Array;
  nsno: number;
  kind: Kind;
  rows: number;
  bytes: number;
}

// Expired rows with their children, which have no expiry of their own and expire with their parent.
const EXPIRED =
  'WITH RECURSIVE gone (seq, nsno, id, kind, bytes) AS (SELECT seq, nsno, id, kind, length(body) FROM rows';
const WITH_CHILDREN = `UNION SELECT child.seq, child.nsno, child.id, child.kind, length(child.body)
  FROM gone JOIN rows AS child ON child.nsno = gone.nsno AND child.grp = gone.id)
  SELECT nsno, kind, count(*) AS rows, sum(bytes) AS bytes FROM gone GROUP BY nsno, kind`;

/** Live rows by kind, of one namespace or of all: the counters minus rows that have expired but are not swept yet. */
export function readUsage(db: SqliteDriver, nowMs: number, nsno?: number): Usage[] {
  // The unary plus keeps SQLite from using the namespace index and reading every row: hardly any have expired.
  const only = nsno === undefined ? '' : 'AND +nsno = ?';
  const values = nsno === undefined ? [] : [nsno];
  const live = new Map<string, Usage>();
  const counted = `SELECT ns, nsno, kind, rows, bytes FROM usage JOIN namespaces ON no = nsno WHERE rows > 0 ${only}`;
  for (const { ns, nsno: no, kind, rows, bytes } of db.all<UsageRow>(counted, ...values)) {
    live.set(`${no} ${kind}`, { ns, kind, rows, bytes });
  }
  const gone = `${EXPIRED} WHERE expires <= ? ${only} ${WITH_CHILDREN}`;
  for (const expired of db.all<UsageRow>(gone, nowMs, ...values)) {
    const entry = live.get(`${expired.nsno} ${expired.kind}`);
    if (!entry) continue;
    entry.rows -= expired.rows;
    entry.bytes -= expired.bytes;
  }
  return [...live.values()].filter((entry) => entry.rows > 0);
}

/** The sums of the counters. */
export function readTotals(db: SqliteDriver): StoreTotals {
  const { namespaces } = db.get<{ namespaces: number }>('SELECT count(*) AS namespaces FROM namespaces')!;
  const kinds =
    'SELECT kind, sum(rows) AS rows, sum(bytes) AS bytes FROM usage GROUP BY kind HAVING sum(rows) > 0';
  return { namespaces, kinds: db.all<StoreTotals['kinds'][number]>(kinds) };
}
