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
  type StoreTotals,
  type SweptRow,
  TOMBSTONE_MS,
  type Tombstone,
  type Usage,
} from '../../memory/store.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { openPostgresClient, type PostgresClient } from './client.ts';
import { postgresWarnings } from './examine.ts';
import { createPostgresNotices, type PostgresNotices } from './notices.ts';
import { prepareSchema } from './schema.ts';
import { createPostgresWrites, type PostgresWrites } from './writes.ts';

/** Rows of a dropped namespace that one statement removes. */
const REMOVE_CHUNK_ROWS = 2_000;
/** A commit within this time proves as much as a probe. */
const PROBE_MAX_AGE_MS = 5_000;
/** Random, so that a namespace that is dropped and created again is never taken for its predecessor. */
const randomNumber = () => randomInt(1, 2 ** 47);

export interface PostgresOptions {
  now: () => number;
  onCommit?: (writes: number, seconds: number) => void;
  onCall?: (seconds: number) => void;
  /** Called with what an operator should know about the server. */
  onWarning?: (warning: string) => void;
}

/** Opens a store on a PostgreSQL server, version 14 or later, which several processes may share. */
export async function openPostgresStore(text: string, options: PostgresOptions): Promise<Store> {
  const address = parsePostgresAddress(text);
  const client = await openPostgresClient(address, {
    maxConnections: address.poolSize,
    onCall: options.onCall,
  });
  try {
    await prepareSchema(client, address);
    for (const warning of await postgresWarnings(client, address)) options.onWarning?.(warning);
  } catch (thrown) {
    await client.close();
    throw thrown;
  }
  return createStore(client, address, options);
}

function createStore(client: PostgresClient, address: PostgresAddress, options: PostgresOptions): Store {
  const s = address.schema;
  const notices = createPostgresNotices(client, address);
  let closing: Promise<void> | undefined;
  let lastCommitMs = Number.NEGATIVE_INFINITY;
  const writes = createPostgresWrites(client, s, {
    now: options.now,
    onCommit(batches, seconds) {
      lastCommitMs = performance.now();
      options.onCommit?.(batches, seconds);
    },
    onChange: notices.publish,
  });

  const whileOpen =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (closing) throw new AppError('memory_unavailable', 'The database is closed.', { reason: 'closed' });
      return method(...args);
    };

  /** Removes the rows of dropped namespaces, including those that a crash left. Concurrent runs are harmless. */
  async function removeDropped(): Promise<void> {
    for (const { no } of await client.query<{ no: number }>(`SELECT no FROM ${s}.dropped`)) {
      const chunk = `DELETE FROM ${s}.rows WHERE nsno = $1 AND id = ANY (ARRAY(
        SELECT id FROM ${s}.rows WHERE nsno = $1 LIMIT ${REMOVE_CHUNK_ROWS})) RETURNING 1`;
      while ((await client.execute(chunk, no)).length === REMOVE_CHUNK_ROWS);
      await client.execute(`DELETE FROM ${s}.dropped WHERE no = $1`, no);
    }
  }

  return {
    sharing: sharing(client, s, notices, whileOpen),
    connections: client.connections,
    ...readers(client, s, whileOpen),
    apply: whileOpen(writes.apply),
    dropNamespace: whileOpen(async (ns: Uint8Array) => {
      const [dropped] = await client.execute<{ no: number; rows: number }>(
        `SELECT * FROM ${s}.drop_namespace($1)`,
        ns,
      );
      await removeDropped();
      if (dropped) notices.publish({ ns, afterSeq: 0, seq: 0 });
      return dropped?.rows ?? 0;
    }),
    createNamespace: whileOpen(async (ns: Uint8Array, blob: Uint8Array) => {
      for (;;) {
        const sql = `INSERT INTO ${s}.namespaces (ns, generation, blob, seq, epoch)
          VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING RETURNING ns, generation, blob`;
        const [created] = await client.execute<NamespaceRecord>(
          sql,
          ns,
          randomNumber(),
          blob,
          randomNumber(),
        );
        const record = created ?? (await findNamespace(client, s, ns));
        if (record) return record; // otherwise it was dropped between the two statements
      }
    }),
    replaceNamespace: whileOpen(async (ref, before: Uint8Array, blob: Uint8Array) => {
      const sql = `UPDATE ${s}.namespaces SET blob = $1 WHERE ns = $2 AND generation = $3 AND blob = $4 RETURNING 1`;
      return (await client.execute(sql, blob, ref.ns, ref.generation, before)).length > 0;
    }),
    sweep: whileOpen(async (nowMs: number, limit: number) => {
      await removeDropped();
      const sql = `SELECT ns, ${ROW_COLUMNS} FROM ${s}.sweep_rows($1, $2, $3)`;
      const swept = await client.execute<SweptRow>(sql, nowMs, limit, nowMs - TOMBSTONE_MS);
      for (const { ns, seq, kind } of swept)
        if (kind === 'fact') notices.publish({ ns, afterSeq: seq, seq, deleted: 1 });
      return swept;
    }),
    probe: whileOpen(async () => {
      if (performance.now() - lastCommitMs < PROBE_MAX_AGE_MS) return;
      const sql = `INSERT INTO ${s}.probe VALUES (1, now()) ON CONFLICT (no) DO UPDATE SET at = now()`;
      await client.execute(sql);
      lastCommitMs = performance.now();
    }),
    close() {
      closing ??= closeAll(writes, notices, client);
      return closing;
    },
  };
}

async function closeAll(
  writes: PostgresWrites,
  notices: PostgresNotices,
  client: PostgresClient,
): Promise<void> {
  await writes.drain();
  await notices.close();
  await client.close();
}

type WhileOpen = <Args extends unknown[], Result>(
  method: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

/** The columns of `rows`, named as the fields of `Row`. */
const ROW_COLUMNS =
  'id, kind, grp AS "group", body, seq, rev, created AS "createdMs", updated AS "updatedMs", expires AS "expiresMs"';

async function findNamespace(
  client: PostgresClient,
  s: string,
  ns: Uint8Array,
): Promise<NamespaceRecord | undefined> {
  const sql = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns = $1`;
  return (await client.query<NamespaceRecord>(sql, ns))[0];
}

function readers(client: PostgresClient, s: string, whileOpen: WhileOpen) {
  const nsNumber = `(SELECT no FROM ${s}.namespaces WHERE ns = $1)`;
  return {
    get: whileOpen(async (ns: Uint8Array, id: Uint8Array) => {
      const sql = `SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE nsno = ${nsNumber} AND id = $2`;
      return (await client.query<Row>(sql, ns, id))[0];
    }),
    scan: whileOpen((ns: Uint8Array, scan: ScanOptions) => scanRows(client, s, ns, scan)),
    marks: whileOpen(async (ns: Uint8Array, kind: Kind, afterSeq: number, limit: number) => {
      const sql = `SELECT seq, id FROM ${s}.rows WHERE nsno = ${nsNumber} AND kind = $2 AND seq > $3 ORDER BY seq LIMIT $4`;
      const rows = await client.query<{ seq: number; id: Uint8Array }>(sql, ns, kind, afterSeq, limit);
      return rows.map(({ seq, id }) => ({ seq, idStart: idStartOf(id) }));
    }),
    tombstones: whileOpen((ns: Uint8Array, afterSeq: number, limit?: number) => {
      const sql = `SELECT id, seq FROM ${s}.tombstones WHERE nsno = ${nsNumber} AND seq > $2 ORDER BY seq LIMIT $3`;
      return client.query<Tombstone>(sql, ns, afterSeq, limit ?? null);
    }),
    position: whileOpen(async (ns: Uint8Array) => {
      const sql = `SELECT seq, epoch FROM ${s}.namespaces WHERE ns = $1`;
      return (await client.query<{ seq: number; epoch: number }>(sql, ns))[0] ?? { seq: 0, epoch: 0 };
    }),
    totals: whileOpen(() => readTotals(client, s)),
    usage: whileOpen((nowMs: number, ns?: Uint8Array) =>
      ns
        ? client.query<Usage>(usageSql(s, `= (SELECT no FROM ${s}.namespaces WHERE ns = $2)`), nowMs, ns)
        : client.query<Usage>(usageSql(s, 'IS NOT NULL'), nowMs),
    ),
    getNamespace: whileOpen((ns: Uint8Array) => findNamespace(client, s, ns)),
    listNamespaces: whileOpen((limit: number, afterNs?: Uint8Array) => {
      const next = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns > $2 ORDER BY ns LIMIT $1`;
      const first = `SELECT ns, generation, blob FROM ${s}.namespaces ORDER BY ns LIMIT $1`;
      return afterNs
        ? client.query<NamespaceRecord>(next, limit, afterNs)
        : client.query<NamespaceRecord>(first, limit);
    }),
  };
}

/** The counters without expired rows and their descendants, which have no expiry of their own. */
async function readTotals(client: PostgresClient, s: string): Promise<StoreTotals> {
  const [counted] = await client.query<{ namespaces: number }>(
    `SELECT count(*)::int AS namespaces FROM ${s}.namespaces`,
  );
  const kinds = await client.query<StoreTotals['kinds'][number]>(
    `SELECT kind, sum(rows)::bigint AS rows, sum(bytes)::bigint AS bytes
     FROM ${s}.usage GROUP BY kind HAVING sum(rows) > 0`,
  );
  return { namespaces: counted!.namespaces, kinds };
}

const usageSql = (s: string, namespaceFilter: string) => `
  WITH RECURSIVE expired AS (
    SELECT nsno, id, kind, octet_length(body) AS bytes FROM ${s}.rows WHERE expires <= $1 AND nsno ${namespaceFilter}
    UNION SELECT child.nsno, child.id, child.kind, octet_length(child.body)
      FROM expired JOIN ${s}.rows child ON child.nsno = expired.nsno AND child.grp = expired.id
  ), subtracted AS (SELECT nsno, kind, count(*) AS rows, sum(bytes) AS bytes FROM expired GROUP BY nsno, kind)
  SELECT ns, kind, (u.rows - coalesce(subtracted.rows, 0))::bigint AS rows, (u.bytes - coalesce(subtracted.bytes, 0))::bigint AS bytes
  FROM ${s}.usage u JOIN ${s}.namespaces ON no = u.nsno LEFT JOIN subtracted USING (nsno, kind)
  WHERE u.nsno ${namespaceFilter} AND u.rows > coalesce(subtracted.rows, 0)`;

/** Reads one page ordered by seq: an index range for each kind, merged. */
function scanRows(client: PostgresClient, s: string, ns: Uint8Array, scan: ScanOptions): Promise<Row[]> {
  const order = scan.newestFirst ? 'DESC' : 'ASC';
  const from = scan.afterSeq ?? 0;
  const to = scan.beforeSeq ?? Number.MAX_SAFE_INTEGER;
  const kinds: readonly Kind[] = scan.kinds ?? KINDS;
  const bounds = `nsno = (SELECT no FROM ${s}.namespaces WHERE ns = $1) AND seq > $2 AND seq < $3`;
  if (scan.group) {
    const sql = `SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE ${bounds} AND grp = $6
      AND kind = ANY (ARRAY(SELECT json_array_elements_text($5::json))) ORDER BY seq ${order} LIMIT $4`;
    return client.query<Row>(sql, ns, from, to, scan.limit, kinds, scan.group);
  }
  const sql = `SELECT page.* FROM json_array_elements_text($5::json) AS wanted (kind) CROSS JOIN LATERAL (
    SELECT ${ROW_COLUMNS} FROM ${s}.rows WHERE ${bounds} AND kind = wanted.kind ORDER BY seq ${order} LIMIT $4) page
    ORDER BY seq ${order} LIMIT $4`;
  return client.query<Row>(sql, ns, from, to, scan.limit, kinds);
}

/** Notices, and leases that end by the clock of the server. */
function sharing(client: PostgresClient, s: string, notices: PostgresNotices, whileOpen: WhileOpen): Sharing {
  return {
    watch: notices.watch,
    acquireLease: whileOpen(async (name: string, holder: string, ttlMs: number) => {
      const sql = `INSERT INTO ${s}.leases AS l VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE l.holder = excluded.holder OR l.until <= clock_timestamp() RETURNING 1`;
      return (await client.execute(sql, name, holder, ttlMs)).length > 0;
    }),
    leaseHolder: whileOpen(async (name: string) => {
      const sql = `SELECT holder FROM ${s}.leases WHERE name = $1 AND until > clock_timestamp()`;
      return (await client.query<{ holder: string }>(sql, name))[0]?.holder;
    }),
    releaseLease: whileOpen(async (name: string, holder: string) => {
      await client.execute(`DELETE FROM ${s}.leases WHERE name = $1 AND holder = $2`, name, holder);
    }),
  };
}
