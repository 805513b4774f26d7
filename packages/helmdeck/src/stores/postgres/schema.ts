import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { PostgresAddress } from './address.ts';
import { openPostgresLink, type PostgresClient } from './client.ts';
import { readOnly } from './errors.ts';

const OLDEST_SERVER = 140_000;

/** The placeholder for the schema's name in `.sql` files: an identifier, so that the files are valid SQL. */
const SCHEMA_PLACEHOLDER = '__schema__';
const sqlFile = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Step n migrates the schema from version n - 1 to version n. A released step never changes. */
const STEPS: readonly string[] = [sqlFile('schema.sql') + sqlFile('functions.sql')];

/** Brings the schema up to date, once, also when several processes start together; refuses what it cannot work with. */
export async function prepareSchema(link: PostgresClient, address: PostgresAddress): Promise<void> {
  await assertServer(link);
  // A process that may not change the schema can still use one that is up to date.
  if ((await versionOf(link.ask, address.schema)) === STEPS.length) return;
  const own = await openPostgresLink(address, { max: 1, patient: true });
  await bringUpToDate(own, address.schema).finally(own.close);
}

function bringUpToDate(link: PostgresClient, schema: string): Promise<void> {
  return link.transact(async (run) => {
    await run(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, `helmdeck ${schema}`);
    await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await run(`CREATE TABLE IF NOT EXISTS ${schema}.version (version int NOT NULL)`);
    const version = await versionOf(run, schema);
    for (const step of STEPS.slice(version)) await run(step.replaceAll(SCHEMA_PLACEHOLDER, schema));
    if (version === STEPS.length) return; // somebody else was first
    await run(`DELETE FROM ${schema}.version`);
    await run(`INSERT INTO ${schema}.version (version) VALUES ($1)`, STEPS.length);
  });
}

/** Refuses a server that is too old or takes no writes. */
export async function assertServer(link: PostgresClient): Promise<void> {
  const [server] = await link.ask<{ version: number; standby: boolean; read_only: string }>(
    `SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only') AS read_only`,
  );
  if (server!.version < OLDEST_SERVER) {
    const major = Math.floor(server!.version / 10_000);
    throw new AppError(
      'memory_unavailable',
      `The database server is PostgreSQL ${major}, which is too old.`,
      {
        reason: 'too_old',
        hint: `Use PostgreSQL ${OLDEST_SERVER / 10_000} or later.`,
      },
    );
  }
  if (server!.standby || server!.read_only === 'on') throw readOnly();
}

/** Which version of the schema is there; 0 for none. */
export async function versionOf(ask: PostgresClient['ask'], schema: string): Promise<number> {
  const [there] = await ask<{ found: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS found',
    `${schema}.version`,
  );
  if (!there!.found) return 0;
  const [row] = await ask<{ version: number }>(`SELECT version FROM ${schema}.version`);
  const version = row?.version ?? 0;
  if (version > STEPS.length) {
    throw new AppError(
      'memory_unavailable',
      `The database was written by a later Helmdeck (schema ${version}).`,
      {
        reason: 'later_schema',
        hint: 'Run that version or a later one.',
      },
    );
  }
  return version;
}
