import { isIP } from 'node:net';
import type { NamespaceRecord } from '../../memory/store.ts';
import { PROCESS_LEASE } from '../../runtime/process-leases.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { openPostgresClient, type PostgresClient } from './client.ts';
import { assertServer, schemaVersion } from './schema.ts';

/** What `helmdeck doctor` reports about a database server and the data of Helmdeck in it. */
export interface PostgresExamination {
  version: string;
  warnings: string[];
  rows: number;
  namespaces: number;
  /** Processes that use the database now. */
  nodes: number;
  /** The requested records, in the order of the request. */
  records: (NamespaceRecord | undefined)[];
}

/** Examines a database without changing it. */
export async function examinePostgres(
  text: string,
  namespaces: readonly Uint8Array[],
): Promise<PostgresExamination> {
  const address = parsePostgresAddress(text);
  const s = address.schema;
  const client = await openPostgresClient(address, { maxConnections: 1 });
  try {
    await assertServer(client);
    const [reported] = await client.query<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    );
    const server = {
      version: reported!.version.split(' ')[0]!,
      warnings: await postgresWarnings(client, address),
    };
    if ((await schemaVersion(client.query, s)) === 0)
      return { ...server, rows: 0, namespaces: 0, nodes: 0, records: namespaces.map(() => undefined) };
    const [counts] = await client.query<{ rows: number; namespaces: number }>(
      `SELECT (SELECT coalesce(sum(rows), 0) FROM ${s}.usage)::bigint AS rows,
        (SELECT count(*) FROM ${s}.namespaces) AS namespaces`,
    );
    const nodes = await countNodes(client, s);
    const shortage = await connectionShortage(client, address, nodes);
    const warnings = [...server.warnings, ...(shortage ? [shortage] : [])];
    const records: PostgresExamination['records'] = [];
    for (const ns of namespaces) {
      const sql = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns = $1`;
      records.push((await client.query<NamespaceRecord>(sql, ns))[0]);
    }
    return { ...server, ...counts!, nodes, warnings, records };
  } finally {
    await client.close();
  }
}

async function countNodes(client: PostgresClient, s: string): Promise<number> {
  const sql = `SELECT count(*)::int AS nodes FROM ${s}.leases WHERE starts_with(name, $1) AND until > clock_timestamp()`;
  return (await client.query<{ nodes: number }>(sql, PROCESS_LEASE))[0]!.nodes;
}

/** Each node needs its pool and a connection that listens; other nodes are taken to have the same pool. */
async function connectionShortage(
  client: PostgresClient,
  address: PostgresAddress,
  nodes: number,
): Promise<string | undefined> {
  const [limits] = await client.query<{ free: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS free`,
  );
  const needed = Math.max(1, nodes) * (address.poolSize + 1);
  if (needed <= limits!.free) return undefined;
  return `The nodes may open ${needed} connections, and the database server allows ${limits!.free} (max_connections).`;
}

/** Settings that can lose an acknowledged write, and a connection whose server is not verified. */
export async function postgresWarnings(client: PostgresClient, address: PostgresAddress): Promise<string[]> {
  const [settings] = await client.query<{ fsync: string; commit: string; pages: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
      current_setting('full_page_writes') AS pages`,
  );
  const { fsync, commit, pages } = settings!;
  const warnings: string[] = [];
  if (fsync === 'off' || pages === 'off')
    warnings.push(
      'The database server runs with fsync or full_page_writes off: a power failure can corrupt the whole database.',
    );
  if (commit === 'off')
    warnings.push(
      'The database server acknowledges commits before they are on disk (synchronous_commit = off): a crash loses writes.',
    );
  if (!address.isServerVerified && !isLoopback(address.host))
    warnings.push(
      'The connection to the database does not verify the identity of the server; use sslmode=verify-full.',
    );
  return warnings;
}

const isLoopback = (host: string) =>
  host === 'localhost' ||
  host.startsWith('/') ||
  host === '::1' ||
  (isIP(host) === 4 && host.startsWith('127.'));
