import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { identityProblem } from '../memory/namespace.ts';
import { closestName } from '../surfaces/closest-name.ts';
import { type BackupConfig, backupConfig } from './backup-config.ts';
import {
  address,
  ConfigError,
  flag,
  limit,
  oneOf,
  onOff,
  PREFIX,
  secretList,
  url,
  whole,
} from './config-values.ts';
import { type EmbeddingsSetting, readEmbeddingsSetting } from './embeddings-setting.ts';
import { type EngineConfig, engineConfig } from './engine-config.ts';
import { type PackConfig, packConfig } from './pack-config.ts';

/**
 * What can be set, in one list: `HELMDECK_<name>`. `secret` ones are masked and may also come from `<name>_FILE`;
 * `file` ones may come from there too, because what makes a bucket often writes them down.
 */
export const VARIABLES = {
  ADDR: { default: '127.0.0.1:3000', about: 'address to listen on' },
  DB: {
    default: './data/helmdeck.db',
    secret: true,
    about: 'database: a file, postgres://…, redis://…, or memory: to keep nothing',
  },
  DATA_DIR: { about: 'folder of every other file; default: the folder of the database file, else ./data' },
  MEMORY: { default: 'on', about: 'on, or off to run without memory on purpose' },
  MEMORY_KEY: { secret: true, about: '64 hex characters; unset means a key that dies with the process' },
  MEMORY_KEY_PREVIOUS: { secret: true, about: 'earlier memory keys, comma-separated; re-wrapped on start' },
  VAULT_KEY: { secret: true, about: '64 hex characters, another than the memory key; unset means no vault' },
  VAULT_KEY_PREVIOUS: { secret: true, about: 'earlier vault keys, comma-separated; re-wrapped on start' },
  JWT_SECRET: { secret: true, about: 'secret of HS256 tokens, at least 32 bytes' },
  JWKS_URL: { about: 'keys of RS, ES and EdDSA tokens' },
  JWT_ISSUER: { about: 'issuer that JWKS tokens must carry' },
  JWT_AUDIENCE: { about: 'audience that JWKS tokens must carry' },
  DISABLE_AUTH: { about: '1 to run without tokens; loopback only' },
  ALLOW_INSECURE: { about: '1 to allow that on other addresses' },
  ADMIN_USERNAME: { default: 'admin', about: 'name of the admin login, and its subject' },
  ADMIN_PASSWORD: { secret: true, about: 'password of the admin login; unset switches login off' },
  METRICS_TOKEN: { secret: true, about: 'bearer token for /metrics on non-loopback addresses' },
  RATE_LIMIT: { default: '1000', about: 'writes per second and caller, or off; bursts of twice that' },
  QUOTA_FACTS: { default: '250000', about: 'facts per caller, or off' },
  QUOTA_BYTES: { default: '1073741824', about: 'bytes per caller, or off' },
  MAX_VALUE_BYTES: { default: '65536', about: 'largest value of a fact' },
  SECRET_GUARD: { default: 'on', about: 'on, or off to store credentials as facts' },
  RECALL_CACHE_BYTES: { default: '268435456', about: 'RAM for search images' },
  EMBEDDINGS_URL: { about: 'OpenAI-compatible base with /v1, or builtin; unset means search by words alone' },
  EMBEDDINGS_MODEL: { about: 'embedding model; needed with a URL' },
  EMBEDDINGS_API_KEY: { secret: true, about: 'key of the embeddings endpoint' },
  GATEWAY_URL: { about: 'OpenAI-compatible language model base with /v1' },
  GATEWAY_API_KEY: { secret: true, about: 'key of the gateway' },
  GATEWAY_MODEL: { about: 'model asked for by default' },
  GITHUB_API_URL: { default: 'https://api.github.com', about: 'base of the GitHub API' },
  PACKS_DIR: { about: 'folder of your own packs' },
  EGRESS_ALLOWLIST: {
    about: 'networks, addresses and host names inside that packs may reach, comma-separated',
  },
  CACHE_URL: {
    secret: true,
    about: 'Redis for results of packs, shared by all nodes; unset means the database',
  },
  S3_ENDPOINT: { file: true, about: 'S3 endpoint of artifacts; unset means files in the data folder' },
  S3_BUCKET: { file: true, about: 'S3 bucket of artifacts' },
  S3_ACCESS_KEY: { secret: true, about: 'S3 access key' },
  S3_SECRET_KEY: { secret: true, about: 'S3 secret key' },
  S3_REGION: { default: 'us-east-1', about: 'S3 region' },
  S3_ADDRESSING: { default: 'path', about: 'path (host/bucket) or virtual (bucket.host)' },
  S3_PUBLIC_ENDPOINT: {
    file: true,
    about: 'not used: artifacts are encrypted, so clients read them through Helmdeck',
  },
  BACKUP_URL: { about: 'folder or s3://bucket/prefix of scheduled backups; unset means none' },
  BACKUP_EVERY: { default: '24h', about: 'time between scheduled backups, such as 30m, 24h or 7d' },
  BACKUP_KEEP: { default: '7', about: 'backups of this database that stay; older ones are deleted' },
  LOG_LEVEL: { default: 'info', about: 'trace, debug, info, warn, error or silent' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { about: 'where traces go' },
  URL: { about: 'the server that the CLI talks to' },
  TOKEN: { secret: true, about: 'the token that the CLI talks with' },
} as const satisfies Record<string, Variable>;

interface Variable {
  default?: string;
  secret?: true;
  file?: true;
  about: string;
}

export type VariableName = keyof typeof VARIABLES;

export interface Config extends PackConfig, EngineConfig {
  host: string;
  port: number;
  db: string;
  dataDir: string;
  memoryOn: boolean;
  memoryKey?: string;
  memoryKeysPrevious: string[];
  jwtSecret?: string;
  jwksUrl?: string;
  jwtIssuer?: string;
  jwtAudience?: string;
  authDisabled: boolean;
  allowInsecure: boolean;
  adminUsername: string;
  adminPassword?: string;
  metricsToken?: string;
  writesPerSecond?: number;
  quotaFacts?: number;
  quotaBytes?: number;
  maxValueBytes: number;
  secretGuard: boolean;
  /** Undefined: search goes by words alone. */
  embeddings?: EmbeddingsSetting;
  recallCacheBytes: number;
  /** Undefined: the server makes no backups by itself. */
  backup?: BackupConfig;
  logLevel: string;
  url?: string;
  token?: string;
}

export interface LoadedConfig {
  config: Readonly<Config>;
  /** Unknown names that are probably harmless. */
  warnings: string[];
  /** The effective value of every variable, secrets masked. */
  effective: {
    name: string;
    value: string;
    from: 'environment' | 'file' | 'secrets file' | 'default' | 'unset';
    about: string;
  }[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Kubernetes injects these for a service called helmdeck. */
const INJECTED = /^HELMDECK_(PORT|SERVICE_)/;
/** Names that other parts of a deployment read. */
export const FOREIGN = new Set([
  'HELMDECK_VERSION',
  'HELMDECK_IMAGE',
  'HELMDECK_PUBLISH',
  'HELMDECK_QMD_URL',
  'HELMDECK_DOCKER_GID',
  'HELMDECK_SKIP_GITHUB',
]);
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
export const SECRETS_FILE = 'secrets.env';
/** Where a running server leaves its address for the CLI. */
export const SERVER_FILE = 'server.json';

/** Reads the environment, and below it the secrets file that `helmdeck init` wrote into the data folder. */
export function loadConfig(env: Environment): LoadedConfig {
  const warnings = checkNames(env);
  const db = lookUp('DB', VARIABLES.DB, env, new Map()).value!; // before the secrets file, whose place it decides
  const dataDir = resolve(env[`${PREFIX}DATA_DIR`] || folderOf(db));
  const kept = readSecretsFile(resolve(dataDir, SECRETS_FILE));
  const effective: LoadedConfig['effective'] = [];
  const values = new Map<VariableName, string>();
  for (const name of Object.keys(VARIABLES) as VariableName[]) {
    const about: Variable = VARIABLES[name];
    const { value, from } = lookUp(name, about, env, kept);
    if (value !== undefined) values.set(name, value);
    const masked = about.secret && value && name !== 'DB'; // of an address only its credentials are secret
    const shown = name === 'DATA_DIR' ? dataDir : masked ? MASK : withoutCredentials(value ?? '');
    effective.push({ name: PREFIX + name, value: shown, from, about: about.about });
  }
  return { config: Object.freeze(buildConfig(values, db, dataDir)), warnings, effective };
}

function buildConfig(values: Map<VariableName, string>, db: string, dataDir: string): Config {
  const { host, port } = address(values.get('ADDR')!);
  const config: Config = {
    host,
    port,
    db,
    dataDir,
    memoryOn: onOff('MEMORY', values),
    memoryKey: values.get('MEMORY_KEY'),
    memoryKeysPrevious: secretList('MEMORY_KEY_PREVIOUS', values),
    jwtSecret: values.get('JWT_SECRET'),
    jwksUrl: url('JWKS_URL', values),
    jwtIssuer: values.get('JWT_ISSUER'),
    jwtAudience: values.get('JWT_AUDIENCE'),
    authDisabled: flag('DISABLE_AUTH', values),
    allowInsecure: flag('ALLOW_INSECURE', values),
    adminUsername: values.get('ADMIN_USERNAME')!,
    adminPassword: values.get('ADMIN_PASSWORD'),
    metricsToken: values.get('METRICS_TOKEN'),
    writesPerSecond: limit('RATE_LIMIT', values),
    quotaFacts: limit('QUOTA_FACTS', values),
    quotaBytes: limit('QUOTA_BYTES', values),
    maxValueBytes: whole('MAX_VALUE_BYTES', values.get('MAX_VALUE_BYTES')!),
    secretGuard: onOff('SECRET_GUARD', values),
    embeddings: embeddings(values),
    recallCacheBytes: whole('RECALL_CACHE_BYTES', values.get('RECALL_CACHE_BYTES')!),
    logLevel: oneOf('LOG_LEVEL', values.get('LOG_LEVEL')!, LOG_LEVELS),
    url: url('URL', values),
    token: values.get('TOKEN'),
    ...packConfig(values),
    ...engineConfig(values),
  };
  config.backup = backupConfig(values, db, config.s3Account !== undefined);
  if (config.jwtSecret !== undefined && Buffer.byteLength(config.jwtSecret) < 32) {
    throw new ConfigError(
      'HELMDECK_JWT_SECRET is shorter than 32 bytes; make one with "openssl rand -hex 32".',
    );
  }
  const nameProblem = identityProblem('sub', config.adminUsername);
  if (nameProblem) throw new ConfigError(`HELMDECK_ADMIN_USERNAME cannot be a subject: ${nameProblem}.`);
  if (config.authDisabled && !isLoopback(host) && !config.allowInsecure) {
    throw new ConfigError(
      'HELMDECK_DISABLE_AUTH works on loopback addresses only; set HELMDECK_ALLOW_INSECURE=1 if everyone who reaches HELMDECK_ADDR may read everything.',
    );
  }
  return config;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function checkNames(env: Environment): string[] {
  const known = new Set(Object.keys(VARIABLES));
  for (const [name, variable] of Object.entries(VARIABLES))
    if ('secret' in variable || 'file' in variable) known.add(`${name}_FILE`);
  const warnings: string[] = [];
  for (const name of Object.keys(env).filter((each) => each.startsWith(PREFIX))) {
    const short = name.slice(PREFIX.length);
    if (known.has(short) || INJECTED.test(name) || FOREIGN.has(name)) continue;
    const meant = closestName(short, known, 2);
    if (meant) throw new ConfigError(`${name} is not a setting; did you mean ${PREFIX}${meant}?`);
    warnings.push(`${name} is not a setting of Helmdeck; it is ignored.`);
  }
  return warnings;
}

type Found = { value?: string; from: LoadedConfig['effective'][number]['from'] };

function lookUp(name: VariableName, about: Variable, env: Environment, kept: Map<string, string>): Found {
  const plain = env[PREFIX + name];
  if (plain) return { value: plain, from: 'environment' };
  const path = (about.secret || about.file) && env[`${PREFIX}${name}_FILE`];
  if (path) return { value: readSecret(`${PREFIX}${name}_FILE`, path), from: 'file' };
  const stored = kept.get(PREFIX + name);
  if (stored) return { value: stored, from: 'secrets file' };
  return about.default === undefined ? { from: 'unset' } : { value: about.default, from: 'default' };
}

function readSecret(variable: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text) return text;
  } catch {
    throw new ConfigError(`${variable} names a file that cannot be read.`);
  }
  throw new ConfigError(`${variable} names an empty file.`);
}

function readSecretsFile(path: string): Map<string, string> {
  const kept = new Map<string, string>();
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return kept;
    throw new ConfigError(`The secrets file ${SECRETS_FILE} in the data folder cannot be read.`);
  }
  for (const line of text.split('\n')) {
    const match = /^\s*(HELMDECK_[A-Z0-9_]+)=(.*)$/.exec(line);
    if (match) kept.set(match[1]!, match[2]!.trim());
  }
  return kept;
}

const folderOf = (db: string) => (/^[a-z]+:/.test(db) ? './data' : dirname(db));

const MASK = '********';
const SECRET_PARAMETER = '[?&;][^=&]*(?:password|passwd|token|key|secret)[^=&]*=';

/** Masks what may be a credential in an address; hides too much rather than too little, because passwords hold any sign. */
export function withoutCredentials(text: string): string {
  const masked = text.replace(/:\/\/(.*)@(.*)$/s, (_match, before: string, after: string) => {
    const insideValue = new RegExp(`${SECRET_PARAMETER}[^&]*$`, 'i').test(before);
    return insideValue ? `://${MASK}${after.replace(/^[^&]*/, '')}` : `://${MASK}@${after}`;
  });
  return masked.replace(new RegExp(`(${SECRET_PARAMETER})[^&]*`, 'gi'), `$1${MASK}`);
}

function embeddings(values: Map<VariableName, string>): EmbeddingsSetting | undefined {
  const setting = readEmbeddingsSetting({
    url: values.get('EMBEDDINGS_URL'),
    model: values.get('EMBEDDINGS_MODEL'),
    apiKey: values.get('EMBEDDINGS_API_KEY'),
  });
  if (typeof setting === 'string') throw new ConfigError(PREFIX + setting);
  return setting;
}
