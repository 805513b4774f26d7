import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { AppError } from '../../errors.ts';

/** A parsed `postgres://` address. */
export interface PostgresAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /** `undefined` for a connection that is not encrypted. */
  tls?: { optional: boolean; options: ConnectionOptions };
  /** Whether TLS verifies the identity of the server, or none is needed because the socket is local. */
  isServerVerified: boolean;
  schemaName: string;
  /** The name, quoted for use in a statement. */
  schema: string;
  applicationName: string;
  /** Maximum number of connections, besides the one that listens for notifications. */
  poolSize: number;
  /** Whether to use prepared statements; off for poolers that change the connection with every transaction. */
  prepare: boolean;
  connectTimeoutMs: number;
}

const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];
const DEFAULT_POOL_SIZE = 10;
const MAX_POOL_SIZE = 1_000;
const DEFAULT_CONNECT_SECONDS = 10;
const MAX_CONNECT_SECONDS = 300;
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

/** Parses an address. Errors never quote it, because any part of it may contain the password. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : badAddress('is not a URL');
  const parameters = url.searchParams;
  for (const name of parameters.keys())
    if (!PARAMETERS.has(name))
      badAddress(`has an unknown parameter; the known ones are ${[...PARAMETERS].join(', ')}`);
  const host = parameters.get('host') || decodePart(url.hostname).replace(/^\[|\]$/g, '') || 'localhost';
  const user = decodePart(url.username) || badAddress('names no user');
  const schemaName = parameters.get('schema') || 'helmdeck';
  if (!SCHEMA_NAME.test(schemaName))
    badAddress('names a schema with characters other than lower-case letters, digits and _');
  const mode = oneOf('sslmode', parameters.get('sslmode') ?? 'prefer', TLS_MODES);
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database: decodePart(url.pathname.slice(1)) || user,
    user,
    password: decodePart(url.password),
    ...tlsSettings(mode, host, parameters),
    schemaName,
    schema: `"${schemaName}"`,
    applicationName: parameters.get('application_name') || 'helmdeck',
    poolSize: wholeNumber(parameters, 'pool', DEFAULT_POOL_SIZE, MAX_POOL_SIZE),
    prepare: oneOf('prepare', parameters.get('prepare') ?? 'on', ['on', 'off']) === 'on',
    connectTimeoutMs:
      wholeNumber(parameters, 'connect_timeout', DEFAULT_CONNECT_SECONDS, MAX_CONNECT_SECONDS) * 1000,
  };
}

/** The modes have the meaning that libpq gives them. */
function tlsSettings(
  mode: TlsMode,
  host: string,
  parameters: URLSearchParams,
): Pick<PostgresAddress, 'tls' | 'isServerVerified'> {
  const isLocal = host.startsWith('/');
  if (mode === 'disable' || isLocal) return { tls: undefined, isServerVerified: isLocal };
  const [rootCert, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => parameters.get(name));
  const verifiesCertificate =
    mode === 'verify-ca' || mode === 'verify-full' || (mode === 'require' && !!rootCert);
  const options: ConnectionOptions = {
    host, // compared with the certificate; the default is "localhost"
    servername: isIP(host) ? undefined : host,
    ca: rootCert && rootCert !== 'system' ? readPem('sslrootcert', rootCert) : undefined,
    cert: cert ? readPem('sslcert', cert) : undefined,
    key: key ? readPem('sslkey', key) : undefined,
    rejectUnauthorized: verifiesCertificate,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  return {
    tls: { optional: mode === 'allow' || mode === 'prefer', options },
    isServerVerified: mode === 'verify-full',
  };
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return badAddress('has an invalid percent-encoding; write %25 for a % in the password');
  }
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return badAddress(`names a file in ${name} that cannot be read`);
  }
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  return (
    allowed.find((each) => each === value) ?? badAddress(`needs one of ${allowed.join(', ')} as ${name}`)
  );
}

function wholeNumber(parameters: URLSearchParams, name: string, defaultValue: number, max: number): number {
  const value = parameters.get(name);
  if (value === null) return defaultValue;
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= max
    ? number
    : badAddress(`needs a whole number from 1 to ${max} as ${name}`);
}

function badAddress(problem: string): never {
  throw new AppError('memory_unavailable', `The database address in HELMDECK_DB ${problem}.`, {
    reason: 'bad_address',
    hint: 'It looks like postgres://user:password@host:5432/database?sslmode=verify-full',
  });
}
