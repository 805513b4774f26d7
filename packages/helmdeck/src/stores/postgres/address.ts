import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { AppError } from '../../errors.ts';

/** What a `postgres://` address says. */
export interface PostgresAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** `undefined` for a connection that is not encrypted. */
  tls?: { optional: boolean; options: ConnectionOptions };
  /** Whether TLS also proves that the server is the one that was meant. */
  verified: boolean;
  /** As it is called, and as it is written in a statement. */
  schemaName: string;
  schema: string;
  applicationName: string;
  /** Connections at most, besides the one that listens. */
  pool: number;
  /** Off for poolers that hand every transaction to another connection. */
  prepare: boolean;
  connectTimeoutMs: number;
}

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];
const DEFAULT_POOL = 10;
const MAX_POOL = 1_000;
const DEFAULT_CONNECT_SECONDS = 10;
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

const PARAMETERS = new Set([
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'host',
  'application_name',
  'connect_timeout',
  'schema',
  'pool',
  'prepare',
]);

/** Reads an address; what is wrong with it is said without any of its text, which may hold the password. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : bad('is not an address');
  const given = url.searchParams;
  for (const name of given.keys())
    if (!PARAMETERS.has(name))
      bad(`has a parameter that is not known; known are ${[...PARAMETERS].join(', ')}`);
  const host = given.get('host') || decoded(url.hostname).replace(/^\[|\]$/g, '') || 'localhost';
  const user = decoded(url.username) || bad('names no user');
  const schemaName = given.get('schema') || 'helmdeck';
  if (!SCHEMA_NAME.test(schemaName)) bad('names a schema that is not lower-case letters, digits and _');
  const mode = oneOf('sslmode', given.get('sslmode') ?? 'prefer', TLS_MODES);
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database: decoded(url.pathname.slice(1)) || user,
    user,
    password: decoded(url.password),
    ...tlsOf(mode, host, given),
    schemaName,
    schema: `"${schemaName}"`,
    applicationName: given.get('application_name') || 'helmdeck',
    pool: whole('pool', given.get('pool'), DEFAULT_POOL, MAX_POOL),
    prepare: oneOf('prepare', given.get('prepare') ?? 'on', ['on', 'off']) === 'on',
    connectTimeoutMs:
      whole('connect_timeout', given.get('connect_timeout'), DEFAULT_CONNECT_SECONDS, 300) * 1000,
  };
}

/** The modes mean what they mean in PostgreSQL's own programs. */
function tlsOf(
  mode: TlsMode,
  host: string,
  given: URLSearchParams,
): Pick<PostgresAddress, 'tls' | 'verified'> {
  const local = host.startsWith('/');
  if (mode === 'disable' || local) return { tls: undefined, verified: local };
  const authority = given.get('sslrootcert');
  const ca = authority && authority !== 'system' ? file('sslrootcert', authority) : undefined;
  const verifies = mode === 'verify-ca' || mode === 'verify-full' || (mode === 'require' && !!authority);
  const options: ConnectionOptions = {
    host, // what the certificate must name; without it Node would compare with "localhost"
    servername: isIP(host) ? undefined : host,
    ca,
    cert: given.get('sslcert') ? file('sslcert', given.get('sslcert')!) : undefined,
    key: given.get('sslkey') ? file('sslkey', given.get('sslkey')!) : undefined,
    rejectUnauthorized: verifies,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  return {
    tls: { optional: mode === 'allow' || mode === 'prefer', options },
    verified: mode === 'verify-full',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return bad('has a % that encodes nothing; write %25 for a % in the password');
  }
}

function file(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return bad(`names a file in ${name} that cannot be read`);
  }
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  return allowed.find((each) => each === value) ?? bad(`needs one of ${allowed.join(', ')} as ${name}`);
}

function whole(name: string, value: string | null, otherwise: number, most: number): number {
  if (value === null) return otherwise;
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= most ? number : bad(`needs a whole number from 1 to ${most} as ${name}`);
}

function bad(what: string): never {
  throw new AppError('memory_unavailable', `The database address in HELMDECK_DB ${what}.`, {
    reason: 'bad_address',
    hint: 'It looks like postgres://user:password@host:5432/database?sslmode=verify-full',
  });
}
