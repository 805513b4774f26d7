import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { PostgresAddress } from './address.ts';
import { openPostgresClient, type PostgresClient } from './client.ts';
import { readOnly } from './errors.ts';

const MIN_SERVER_VERSION = 140_000;

/** The placeholder for the schema's name in `.sql` files: an identifier, so that the files are valid SQL. */
const SCHEMA_PLACEHOLDER = '__schema__';
const sqlFile = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Step n migrates the schema from version n - 1 to version n. A released step never changes. */
const STEPS: readonly string[] = [sqlFile('schema.sql') + sqlFile('functions.sql')];

/** Migrates the schema to the latest version, once even if several processes start together. */
export async function prepareSchema(client: PostgresClient, address: PostgresAddress): Promise<void> {
  await assertServer(client);
  // A user without the permission to change the schema can still use one that is up to date.
  if ((await schemaVersion(client.query, address.schema)) === STEPS.length) return;
  const migrator = await openPostgresClient(address, { maxConnections: 1, noResponseTimeout: true });
  await migrate(migrator, address.schema).finally(migrator.close);
}

function migrate(client: PostgresClient, schema: string): Promise<void> {
  return client.transaction(async (execute) => {
    await execute(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, `helmdeck ${schema}`);
    await execute(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await execute(`CREATE TABLE IF NOT EXISTS ${schema}.version (version int NOT NULL)`);
    const version = await schemaVersion(execute, schema);
    for (const step of STEPS.slice(version)) await execute(step.replaceAll(SCHEMA_PLACEHOLDER, schema));
    if (version === STEPS.length) return; // another process was first
    await execute(`DELETE FROM ${schema}.version`);
    await execute(`INSERT INTO ${schema}.version (version) VALUES ($1)`, STEPS.length);
  });
}

/** Rejects a server that is too old or read-only. */
export async function assertServer(client: PostgresClient): Promise<void> {
  const [server] = await client.query<{ version: number; standby: boolean; read_only: string }>(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only') AS read_only`,
  );
  if (server!.version < MIN_SERVER_VERSION) {
    const major = Math.floor(server!.version / 10_000);
    throw new AppError(
      'memory_unavailable',
      `The database server runs PostgreSQL ${major}, which is too old.`,
      {
        reason: 'too_old',
        hint: `Use PostgreSQL ${MIN_SERVER_VERSION / 10_000} or later.`,
      },
    );
  }
  if (server!.standby || server!.read_only === 'on') throw readOnly();
}

/** The version of the schema in the database; 0 for none. */
export async function schemaVersion(query: PostgresClient['query'], schema: string): Promise<number> {
  const [table] = await query<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    `${schema}.version`,
  );
  if (!table!.found) return 0;
  const [row] = await query<{ version: number }>(`SELECT version FROM ${schema}.version`);
  const version = row?.version ?? 0;
  if (version > STEPS.length) {
    throw new AppError(
      'memory_unavailable',
      `The database was written by a newer version of Helmdeck (schema ${version}).`,
      {
        reason: 'later_schema',
        hint: 'Run that version or a newer one.',
      },
    );
  }
  return version;
}
