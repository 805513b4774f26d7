import { randomInt } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { KINDS, type Kind } from '../../memory/entry.ts';
import {
  idStartOf,
  type NamespaceRecord,
  type Row,
  type ScanOptions,
  type Sharing,
  type Store,
  type SweptRow,
  TOMBSTONE_MS,
  type Tombstone,
  type Usage,
} from '../../memory/store.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { openPostgresLink, type PostgresClient } from './client.ts';
import { postgresWarnings } from './examine.ts';
import { createPostgresNotices, type PostgresNotices } from './notices.ts';
import { prepareSchema } from './schema.ts';
import { createPostgresWrites, type PostgresWrites } from './writes.ts';

const CHUNK_ROWS = 2_000;
const PROBE_FRESH_MS = 5_000;
/** Random, so that a namespace that is dropped and made again never looks like its predecessor. */
const randomNumber = () => randomInt(1, 2 ** 47);

export interface PostgresOptions {
  now: () => number;
  onCommit?: (writes: number) => void;
  /** Hears what an operator should know about the server. */
  onWarning?: (warning: string) => void;
}

/** A back-end that several processes share: a database server, PostgreSQL 14 or later. */
export async function openPostgresStore(text: string, options: PostgresOptions): Promise<Store> {
  const address = parsePostgresAddress(text);
  const link = await openPostgresLink(address, { max: address.pool });
  try {
    await prepareSchema(link, address);
    for (const warning of await postgresWarnings(link, address)) options.onWarning?.(warning);
  } catch (thrown) {
    await link.close();
    throw thrown;
  }
  return createStore(link, address, options);
}

function createStore(link: PostgresClient, address: PostgresAddress, options: PostgresOptions): Store {
  const s = address.schema;
  const notices = createPostgresNotices(link, address);
  let closing: Promise<void> | undefined;
  let lastCommitMs = Number.NEGATIVE_INFINITY;
  const writes = createPostgresWrites(link, s, {
    now: options.now,
    committed(batches) {
      lastCommitMs = performance.now();
      options.onCommit?.(batches);
    },
    changed: notices.tell,
  });

  const whileOpen =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (closing) throw new AppError('memory_unavailable', 'The database is closed.', { reason: 'closed' });
      return method(...args);
    };

  /** Removes what dropped namespaces left; may run beside itself, and takes up what a crash interrupted. */
  async function removeDropped(): Promise<void> {
    for (const { no } of await link.ask<{ no: number }>(`SELECT no FROM ${s}.dropped`)) {
      const chunk = `DELETE FROM ${s}.rows WHERE nsno = $1 AND id = ANY (ARRAY(
        SELECT id FROM ${s}.rows WHERE nsno = $1 LIMIT ${CHUNK_ROWS})) RETURNING 1`;
      while ((await link.run(chunk, no)).length === CHUNK_ROWS);
      await link.run(`DELETE FROM ${s}.dropped WHERE no = $1`, no);
    }
  }

  return {
    sharing: sharing(link, s, notices, whileOpen),
    ...readers(link, s, whileOpen),
    apply: whileOpen(writes.apply),
    dropNamespace: whileOpen(async (ns: Uint8Array) => {
      const [gone] = await link.run<{ no: number; rows: number }>(
        `SELECT * FROM ${s}.drop_namespace($1)`,
        ns,
      );
      await removeDropped();
      if (gone) notices.tell({ ns, afterSeq: 0, seq: 0 });
      return gone?.rows ?? 0;
    }),
    createNamespace: whileOpen(async (ns: Uint8Array, blob: Uint8Array) => {
      for (;;) {
        const sql = `INSERT INTO ${s}.namespaces (ns, generation, blob, seq, epoch)
          VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING RETURNING ns, generation, blob`;
        const [made] = await link.run<NamespaceRecord>(sql, ns, randomNumber(), blob, randomNumber());
        const record = made ?? (await findNamespace(link, s, ns));
        if (record) return record; // else it was dropped between the two questions
      }
    }),
    replaceNamespace: whileOpen(async (ref, before: Uint8Array, blob: Uint8Array) => {
      const sql = `UPDATE ${s}.namespaces SET blob = $1 WHERE ns = $2 AND generation = $3 AND blob = $4 RETURNING 1`;
      return (await link.run(sql, blob, ref.ns, ref.generation, before)).length > 0;
    }),
    sweep: whileOpen(async (nowMs: number, limit: number) => {
      await removeDropped();
      const sql = `SELECT ns, ${ROW_COLUMNS} FROM ${s}.sweep_rows($1, $2, $3)`;
      const swept = await link.run<SweptRow>(sql, nowMs, limit, nowMs - TOMBSTONE_MS);
      for (const { ns, seq, kind } of swept)
        if (kind === 'fact') notices.tell({ ns, afterSeq: seq, seq, deleted: 1 });
      return swept;
    }),
    probe: whileOpen(async () => {
      if (performance.now() - lastCommitMs < PROBE_FRESH_MS) return;
      const sql = `INSERT INTO ${s}.probe VALUES (1, now()) ON CONFLICT (no) DO UPDATE SET at = now()`;
      await link.run(sql);
      lastCommitMs = performance.now();
    }),
    close() {
      closing ??= closeAll(writes, notices, link);
      return closing;
    },
  };
}

async function closeAll(
  writes: PostgresWrites,
  notices: PostgresNotices,
  link: PostgresClient,
): Promise<void> {
  await writes.drained();
  await notices.close();
  await link.close();
}

type WhileOpen = <Args extends unknown[], Result>(
  method: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

/** The columns of a `Row`, under its names. */
const ROW_COLUMNS =
  'id, kind, grp AS "group", body, seq, rev, created AS "createdMs", updated AS "updatedMs", expires AS "expiresMs"';

async function findNamespace(
  link: PostgresClient,
  s: string,
  ns: Uint8Array,
): Promise<NamespaceRecord | undefined> {
  const sql = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns = $1`;
  return (await link.ask<NamespaceRecord>(sql, ns))[0];
}

function readers(link: PostgresClient, s: string, whileOpen: WhileOpen) {
  const numberOf = `(SELECT no FROM ${s}.namespaces WHERE ns = $1)`;
  return {
    get: whileOpen(async (ns: Uint8Array, id: Uint8Array) => {
      const sql = `SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE nsno = ${numberOf} AND id = $2`;
      return (await link.ask<Row>(sql, ns, id))[0];
    }),
    scan: whileOpen((ns: Uint8Array, scan: ScanOptions) => scanRows(link, s, ns, scan)),
    marks: whileOpen(async (ns: Uint8Array, kind: Kind, afterSeq: number, limit: number) => {
      const sql = `SELECT seq, id FROM ${s}.rows WHERE nsno = ${numberOf} AND kind = $2 AND seq > $3 ORDER BY seq LIMIT $4`;
      const rows = await link.ask<{ seq: number; id: Uint8Array }>(sql, ns, kind, afterSeq, limit);
      return rows.map(({ seq, id }) => ({ seq, idStart: idStartOf(id) }));
    }),
    tombstones: whileOpen((ns: Uint8Array, afterSeq: number, limit?: number) => {
      const sql = `SELECT id, seq FROM ${s}.tombstones WHERE nsno = ${numberOf} AND seq > $2 ORDER BY seq LIMIT $3`;
      return link.ask<Tombstone>(sql, ns, afterSeq, limit ?? null);
    }),
    position: whileOpen(async (ns: Uint8Array) => {
      const sql = `SELECT seq, epoch FROM ${s}.namespaces WHERE ns = $1`;
      return (await link.ask<{ seq: number; epoch: number }>(sql, ns))[0] ?? { seq: 0, epoch: 0 };
    }),
    usage: whileOpen((nowMs: number, ns?: Uint8Array) =>
      ns
        ? link.ask<Usage>(usageSql(s, `= (SELECT no FROM ${s}.namespaces WHERE ns = $2)`), nowMs, ns)
        : link.ask<Usage>(usageSql(s, 'IS NOT NULL'), nowMs),
    ),
    getNamespace: whileOpen((ns: Uint8Array) => findNamespace(link, s, ns)),
    listNamespaces: whileOpen((limit: number, afterNs?: Uint8Array) => {
      const sql = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns > $2 ORDER BY ns LIMIT $1`;
      const first = `SELECT ns, generation, blob FROM ${s}.namespaces ORDER BY ns LIMIT $1`;
      return afterNs
        ? link.ask<NamespaceRecord>(sql, limit, afterNs)
        : link.ask<NamespaceRecord>(first, limit);
    }),
  };
}

/** Counters, less expired rows with all that belongs to them: children have no expiry of their own. */
const usageSql = (s: string, which: string) => `
  WITH RECURSIVE gone AS (
    SELECT nsno, id, kind, octet_length(body) AS bytes FROM ${s}.rows WHERE expires <= $1 AND nsno ${which}
    UNION SELECT child.nsno, child.id, child.kind, octet_length(child.body)
      FROM gone JOIN ${s}.rows child ON child.nsno = gone.nsno AND child.grp = gone.id
  ), less AS (SELECT nsno, kind, count(*) AS rows, sum(bytes) AS bytes FROM gone GROUP BY nsno, kind)
  SELECT ns, kind, (u.rows - coalesce(less.rows, 0))::bigint AS rows, (u.bytes - coalesce(less.bytes, 0))::bigint AS bytes
  FROM ${s}.usage u JOIN ${s}.namespaces ON no = u.nsno LEFT JOIN less USING (nsno, kind)
  WHERE u.nsno ${which} AND u.rows > coalesce(less.rows, 0)`;

/** One page in the order of changes: an ordered index range per kind, merged. */
function scanRows(link: PostgresClient, s: string, ns: Uint8Array, scan: ScanOptions): Promise<Row[]> {
  const order = scan.newestFirst ? 'DESC' : 'ASC';
  const from = scan.afterSeq ?? 0;
  const to = scan.beforeSeq ?? Number.MAX_SAFE_INTEGER;
  const kinds: readonly Kind[] = scan.kinds ?? KINDS;
  const bounds = `nsno = (SELECT no FROM ${s}.namespaces WHERE ns = $1) AND seq > $2 AND seq < $3`;
  if (scan.group) {
    const sql = `SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE ${bounds} AND grp = $6
      AND kind = ANY (ARRAY(SELECT json_array_elements_text($5::json))) ORDER BY seq ${order} LIMIT $4`;
    return link.ask<Row>(sql, ns, from, to, scan.limit, kinds, scan.group);
  }
  const sql = `SELECT page.* FROM json_array_elements_text($5::json) AS wanted (kind) CROSS JOIN LATERAL (
    SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE ${bounds} AND kind = wanted.kind ORDER BY seq ${order} LIMIT $4) page
    ORDER BY seq ${order} LIMIT $4`;
  return link.ask<Row>(sql, ns, from, to, scan.limit, kinds);
}

/** Leases by the server's clock. */
function sharing(link: PostgresClient, s: string, notices: PostgresNotices, whileOpen: WhileOpen): Sharing {
  return {
    watch: notices.watch,
    takeLease: whileOpen(async (name: string, holder: string, ttlMs: number) => {
      const sql = `INSERT INTO ${s}.leases AS l VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE l.holder = excluded.holder OR l.until <= clock_timestamp() RETURNING 1`;
      return (await link.run(sql, name, holder, ttlMs)).length > 0;
    }),
    leaseHolder: whileOpen(async (name: string) => {
      const sql = `SELECT holder FROM ${s}.leases WHERE name = $1 AND until > clock_timestamp()`;
      return (await link.ask<{ holder: string }>(sql, name))[0]?.holder;
    }),
    endLease: whileOpen(async (name: string, holder: string) => {
      await link.run(`DELETE FROM ${s}.leases WHERE name = $1 AND holder = $2`, name, holder);
    }),
  };
}
