import { isIP } from 'node:net';
import type { NamespaceRecord } from '../../memory/store.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { openPostgresLink, type PostgresClient } from './client.ts';
import { assertServer, versionOf } from './schema.ts';

/** What a database server says of itself, and how much of Helmdeck's is there. */
export interface PostgresExamination {
  version: string;
  warnings: string[];
  rows: number;
  namespaces: number;
  /** The records that were asked for, in that order. */
  records: (NamespaceRecord | undefined)[];
}

/** Looks and changes nothing. */
export async function examinePostgres(
  text: string,
  wanted: readonly Uint8Array[],
): Promise<PostgresExamination> {
  const address = parsePostgresAddress(text);
  const s = address.schema;
  const link = await openPostgresLink(address, { max: 1 });
  try {
    await assertServer(link);
    const [server] = await link.ask<{ version: string }>(
      `SELECT current_setting('server_version') AS version`,
    );
    const about = {
      version: server!.version.split(' ')[0]!,
      warnings: await postgresWarnings(link, address),
    };
    if ((await versionOf(link.ask, s)) === 0)
      return { ...about, rows: 0, namespaces: 0, records: wanted.map(() => undefined) };
    const [counts] = await link.ask<{ rows: number; namespaces: number }>(
      `SELECT (SELECT coalesce(sum(rows), 0) FROM ${s}.usage)::bigint AS rows,
        (SELECT count(*) FROM ${s}.namespaces) AS namespaces`,
    );
    const records: PostgresExamination['records'] = [];
    for (const ns of wanted) {
      const sql = `SELECT ns, generation, blob FROM ${s}.namespaces WHERE ns = $1`;
      records.push((await link.ask<NamespaceRecord>(sql, ns))[0]);
    }
    return { ...about, ...counts!, records };
  } finally {
    await link.close();
  }
}

/** What an operator should know: how an acknowledged write could be lost, and who could listen. */
export async function postgresWarnings(link: PostgresClient, address: PostgresAddress): Promise<string[]> {
  const [settings] = await link.ask<{ fsync: string; commit: string; pages: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
      current_setting('full_page_writes') AS pages`,
  );
  const { fsync, commit, pages } = settings!;
  const warnings: string[] = [];
  if (fsync === 'off' || pages === 'off')
    warnings.push(
      'The database server runs with fsync or full_page_writes off: a power cut can destroy everything.',
    );
  if (commit === 'off')
    warnings.push(
      'The database server acknowledges before it writes (synchronous_commit = off): a crash loses writes.',
    );
  if (!address.verified && !isNear(address.host))
    warnings.push(
      'The connection to the database does not prove whose server it is; use sslmode=verify-full.',
    );
  return warnings;
}

const isNear = (host: string) =>
  host === 'localhost' ||
  host.startsWith('/') ||
  host === '::1' ||
  (isIP(host) === 4 && host.startsWith('127.'));
