import { AppError } from '../../errors.ts';
import { isTlsErrorCode, type StoreErrorText, storeError } from '../store-errors.ts';

const UNREACHABLE: StoreErrorText = {
  reason: 'unreachable',
  message: 'The database server cannot be reached.',
  hint: 'Check that it is running and that host and port in HELMDECK_DB are right; Helmdeck reconnects by itself.',
};
const UNTRUSTED: StoreErrorText = {
  reason: 'tls',
  message: 'The encrypted connection to the database server failed.',
  hint: 'Check sslmode and sslrootcert in HELMDECK_DB, and the certificate of the server.',
};
const WRONG_LOGIN: StoreErrorText = {
  reason: 'wrong_password',
  message: 'The database server rejected the user or the password.',
  hint: 'Check both in HELMDECK_DB, and that pg_hba.conf allows this user to connect from here.',
};
const READ_ONLY: StoreErrorText = {
  reason: 'read_only',
  message: 'The database server is read-only: it is a replica, or configured that way.',
  hint: 'Point HELMDECK_DB at the primary.',
};
const DISK_FULL: StoreErrorText = {
  reason: 'disk_full',
  message: 'The disk of the database server is full; nothing was stored.',
  hint: 'Free some space on the server; Helmdeck recovers by itself.',
};
const TOO_MANY_CONNECTIONS: StoreErrorText = {
  reason: 'too_many_connections',
  message: 'The database server accepts no more connections.',
  hint: 'Lower "pool" in HELMDECK_DB on every node, or raise max_connections on the server.',
};
const FORBIDDEN: StoreErrorText = {
  reason: 'forbidden',
  message: 'The database user lacks a permission that Helmdeck needs.',
  hint: 'Let it own its schema: GRANT CREATE ON DATABASE … TO …, or create the schema for it.',
};
const TABLES_GONE: StoreErrorText = {
  reason: 'tables_gone',
  message: 'The tables of Helmdeck are missing from the database.',
  hint: 'Restore a backup of the database, or restart Helmdeck to create the tables in an empty one.',
};
const TIMED_OUT: StoreErrorText = {
  reason: 'timeout',
  message: 'The database server did not respond in time; a write may or may not have been stored.',
  hint: 'Read before you retry a write. Check the load of the server and the network.',
};

/** By a prefix of the SQLSTATE. */
const BY_SQLSTATE: readonly [string, StoreErrorText][] = [
  ['28', WRONG_LOGIN],
  [
    '3D000',
    {
      reason: 'no_database',
      message: 'The database server has no database of this name.',
      hint: 'Create it with CREATE DATABASE, or correct HELMDECK_DB.',
    },
  ],
  ['42P01', TABLES_GONE],
  ['42883', TABLES_GONE],
  ['3F000', TABLES_GONE],
  ['25006', READ_ONLY],
  ['42501', FORBIDDEN],
  ['53300', TOO_MANY_CONNECTIONS],
  ['53100', DISK_FULL],
  ['57014', TIMED_OUT],
  ['55P03', TIMED_OUT],
  ['57P', UNREACHABLE],
  ['08', UNREACHABLE],
];

/** By the code of the driver or of Node. */
const BY_CODE: Record<string, StoreErrorText> = {
  CONNECT_TIMEOUT: UNREACHABLE,
  CONNECTION_CLOSED: UNREACHABLE,
  CONNECTION_ENDED: UNREACHABLE,
  CONNECTION_DESTROYED: UNREACHABLE,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  EPIPE: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENOENT: UNREACHABLE,
  SASL_SIGNATURE_MISMATCH: WRONG_LOGIN,
};

export const unreachable = () => storeError(UNREACHABLE);
export const untrusted = () => storeError(UNTRUSTED);
export const timedOut = () => storeError(TIMED_OUT);
export const readOnly = () => storeError(READ_ONLY);

/** Turns a known failure into an error without SQL, values or the address. Anything else is a bug and stays as it is. */
export function toStoreError(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const code = codeOf(thrown);
  const known =
    BY_CODE[code] ??
    BY_SQLSTATE.find(([state]) => code.startsWith(state))?.[1] ??
    (isTlsErrorCode(code) ? UNTRUSTED : undefined);
  return known ? storeError(known, thrown) : thrown;
}

/** The connection failed, so a statement that changes nothing may be retried. */
export function isConnectionFailure(thrown: unknown): boolean {
  // Thrown by our own sockets, and by `openConnection` when the driver tries to reconnect.
  if (thrown instanceof AppError) return thrown.reason === UNREACHABLE.reason;
  return thrown instanceof Error && BY_CODE[codeOf(thrown)] === UNREACHABLE;
}

/** The server rolled the transaction back (serialization failure or deadlock), so it may be retried. */
export function wasRolledBack(thrown: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(thrown));
}

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
