import { AppError } from '../../errors.ts';
import { explained, isUntrusted, type StoreErrorText } from '../store-errors.ts';

const UNREACHABLE: StoreErrorText = {
  reason: 'unreachable',
  message: 'The database server cannot be reached.',
  hint: 'Check that it runs and that host and port in HELMDECK_DB are right; Helmdeck goes on once it answers.',
};
const UNTRUSTED: StoreErrorText = {
  reason: 'tls',
  message: 'The encrypted connection to the database server failed.',
  hint: 'Check sslmode and sslrootcert in HELMDECK_DB, and the certificate of the server.',
};
const WRONG_LOGIN: StoreErrorText = {
  reason: 'wrong_password',
  message: 'The database server refused the user or the password.',
  hint: 'Check both in HELMDECK_DB, and that pg_hba.conf lets this user in from here.',
};
const READ_ONLY: StoreErrorText = {
  reason: 'read_only',
  message: 'The database server takes no writes: it is a replica, or set to read-only.',
  hint: 'Point HELMDECK_DB at the primary.',
};
const FULL: StoreErrorText = {
  reason: 'disk_full',
  message: 'The database server has no room left; nothing was stored.',
  hint: 'Free some space on the server; Helmdeck goes on by itself.',
};
const OVERLOADED: StoreErrorText = {
  reason: 'too_many_connections',
  message: 'The database server takes no more connections.',
  hint: 'Lower "pool" in HELMDECK_DB on every node, or raise max_connections on the server.',
};
const FORBIDDEN: StoreErrorText = {
  reason: 'forbidden',
  message: 'The database user may not do what Helmdeck needs.',
  hint: 'Let it own its schema: GRANT CREATE ON DATABASE … TO …, or make the schema for it.',
};
const GONE: StoreErrorText = {
  reason: 'tables_gone',
  message: 'The tables of Helmdeck are not in the database any more.',
  hint: 'Restore a backup of the database. An empty one is set up by the next start.',
};
const TIMED_OUT: StoreErrorText = {
  reason: 'timeout',
  message: 'The database server did not answer in time; whether the write was kept is not known.',
  hint: 'Read before you write again. Check the load of the server and the way to it.',
};

/** By SQLSTATE, the longest prefix first. */
const BY_STATE: readonly [string, StoreErrorText][] = [
  ['28', WRONG_LOGIN],
  [
    '3D000',
    {
      reason: 'no_database',
      message: 'The database server has no database of that name.',
      hint: 'Make it with CREATE DATABASE, or correct HELMDECK_DB.',
    },
  ],
  ['42P01', GONE],
  ['42883', GONE],
  ['3F000', GONE],
  ['25006', READ_ONLY],
  ['42501', FORBIDDEN],
  ['53300', OVERLOADED],
  ['53100', FULL],
  ['57014', TIMED_OUT],
  ['55P03', TIMED_OUT],
  ['57P', UNREACHABLE],
  ['08', UNREACHABLE],
];

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

export const unreachable = () => explained(UNREACHABLE);
export const untrusted = () => explained(UNTRUSTED);
export const timedOut = () => explained(TIMED_OUT);
export const readOnly = () => explained(READ_ONLY);

/** What the driver threw as a sentence; without SQL, values or the address. What is nobody's fault but ours stays. */
export function explainPostgres(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const code = codeOf(thrown);
  const known =
    BY_CODE[code] ??
    BY_STATE.find(([state]) => code.startsWith(state))?.[1] ??
    (isUntrusted(code) ? UNTRUSTED : undefined);
  return known ? explained(known, thrown) : thrown;
}

/** The connection failed, so a question may be asked again: it changed nothing. */
export function isConnectionFailure(thrown: unknown): boolean {
  // Ours, where a driver was given a question and found its one connection gone.
  if (thrown instanceof AppError) return thrown.reason === UNREACHABLE.reason;
  return thrown instanceof Error && BY_CODE[codeOf(thrown)] === UNREACHABLE;
}

/** The server gave up this transaction for the sake of another: it left nothing behind and may be tried again. */
export function wasRolledBack(thrown: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(thrown));
}

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
