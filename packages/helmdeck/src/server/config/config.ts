import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { OidcOptions } from '../../identity/oidc-client.ts';
import type { ReviewPolicy } from '../../memory/facts/review-policy.ts';
import { GATE_MODES, type GateMode } from '../../memory/gate/gate.ts';
import { identityProblem } from '../../memory/namespace.ts';
import type { IpNetwork } from '../../packs/egress/ip-address.ts';
import { closestName } from '../../surfaces/closest-name.ts';
import { type BackupConfig, backupConfig } from './backup-config.ts';
import {
  ConfigError,
  flag,
  networks,
  oneOf,
  onOff,
  PREFIX,
  parseAddress,
  positiveInteger,
  positiveIntegerOrOff,
  publicUrl,
  secretList,
  url,
} from './config-values.ts';
import { type EmbeddingsSetting, readEmbeddingsSetting } from './embeddings-setting.ts';
import { type EngineConfig, engineConfig } from './engine-config.ts';
import { type JwksConfig, jwksConfig } from './jwks-config.ts';
import { oidcConfig } from './oidc-config.ts';
import { type PackConfig, packConfig } from './pack-config.ts';
import { reviewPolicy } from './review-config.ts';
import { FOREIGN, VARIABLES, type Variable, type VariableName } from './variables.ts';

/** All settings, parsed and validated. */
export interface Config extends PackConfig, EngineConfig {
  host: string;
  port: number;
  publicUrl?: URL;
  trustedProxies: IpNetwork[];
  /** Whether OAuth clients may be identified by the URL of a document. */
  oauthClientDocuments: boolean;
  db: string;
  dataDir: string;
  memoryOn: boolean;
  memoryKey?: string;
  memoryKeysPrevious: string[];
  jwtSecret?: string;
  /** An identity provider whose tokens are accepted. */
  jwks?: JwksConfig;
  /** The identity provider that people sign in with. */
  oidc?: OidcOptions;
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
  gate: GateMode;
  /** Undefined: search goes by words alone. */
  embeddings?: EmbeddingsSetting;
  recallCacheBytes: number;
  recallLog: boolean;
  review: ReviewPolicy;
  /** Undefined: no scheduled backups. */
  backup?: BackupConfig;
  logLevel: string;
  url?: string;
  token?: string;
}

export interface LoadedConfig {
  config: Readonly<Config>;
  /** One line per unknown `HELMDECK_*` variable that is not a likely typo. */
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

/** Kubernetes injects these variables for a service called helmdeck. */
const INJECTED = /^HELMDECK_(PORT|SERVICE_)/;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
export const SECRETS_FILE = 'secrets.env';
/** A running server writes its address to this file in the data folder, for the CLI. */
export const SERVER_FILE = 'server.json';

/** Reads all settings from the environment, and those not set there from the secrets file that `helmdeck init` writes. */
export function loadConfig(env: Environment): LoadedConfig {
  const warnings = checkNames(env);
  const db = lookUp('DB', VARIABLES.DB, env, new Map()).value!; // read first: it determines where the secrets file is
  const dataDir = resolve(env[`${PREFIX}DATA_DIR`] || folderOf(db));
  const savedSecrets = readSecretsFile(resolve(dataDir, SECRETS_FILE));
  const effective: LoadedConfig['effective'] = [];
  const values = new Map<VariableName, string>();
  for (const name of Object.keys(VARIABLES) as VariableName[]) {
    const about: Variable = VARIABLES[name];
    const { value, from } = lookUp(name, about, env, savedSecrets);
    if (value !== undefined) values.set(name, value);
    const masked = about.secret && value && name !== 'DB'; // in the database address only the credentials are secret
    const shown = name === 'DATA_DIR' ? dataDir : masked ? MASK : withoutCredentials(value ?? '');
    effective.push({ name: PREFIX + name, value: shown, from, about: about.about });
  }
  return { config: Object.freeze(buildConfig(values, db, dataDir)), warnings, effective };
}

function buildConfig(values: Map<VariableName, string>, db: string, dataDir: string): Config {
  const { host, port } = parseAddress(values.get('ADDR')!);
  const config: Config = {
    host,
    port,
    publicUrl: publicUrl(values),
    trustedProxies: networks('TRUSTED_PROXIES', values),
    oauthClientDocuments: onOff('OAUTH_CLIENT_DOCUMENTS', values),
    db,
    dataDir,
    memoryOn: onOff('MEMORY', values),
    memoryKey: values.get('MEMORY_KEY'),
    memoryKeysPrevious: secretList('MEMORY_KEY_PREVIOUS', values),
    jwtSecret: values.get('JWT_SECRET'),
    jwks: jwksConfig(values),
    oidc: oidcConfig(values, publicUrl(values)),
    authDisabled: flag('DISABLE_AUTH', values),
    allowInsecure: flag('ALLOW_INSECURE', values),
    adminUsername: values.get('ADMIN_USERNAME')!,
    adminPassword: values.get('ADMIN_PASSWORD'),
    metricsToken: values.get('METRICS_TOKEN'),
    writesPerSecond: positiveIntegerOrOff('RATE_LIMIT', values),
    quotaFacts: positiveIntegerOrOff('QUOTA_FACTS', values),
    quotaBytes: positiveIntegerOrOff('QUOTA_BYTES', values),
    maxValueBytes: positiveInteger('MAX_VALUE_BYTES', values.get('MAX_VALUE_BYTES')!),
    secretGuard: onOff('SECRET_GUARD', values),
    gate: oneOf('GATE', values.get('GATE')!, [...GATE_MODES]) as GateMode,
    embeddings: embeddings(values),
    recallCacheBytes: positiveInteger('RECALL_CACHE_BYTES', values.get('RECALL_CACHE_BYTES')!),
    recallLog: onOff('RECALL_LOG', values),
    review: reviewPolicy(values),
    logLevel: oneOf('LOG_LEVEL', values.get('LOG_LEVEL')!, LOG_LEVELS),
    url: url('URL', values),
    token: values.get('TOKEN'),
    ...packConfig(values),
    ...engineConfig(values),
  };
  config.backup = backupConfig(values, db, config.s3Account !== undefined);
  if (config.jwtSecret !== undefined && Buffer.byteLength(config.jwtSecret) < 32) {
    throw new ConfigError(
      'HELMDECK_JWT_SECRET is shorter than 32 bytes; create one with "openssl rand -hex 32".',
    );
  }
  const nameProblem = identityProblem('sub', config.adminUsername);
  if (nameProblem) throw new ConfigError(`HELMDECK_ADMIN_USERNAME is not a valid subject: ${nameProblem}.`);
  if (config.authDisabled && !isLoopback(host) && !config.allowInsecure) {
    throw new ConfigError(
      'HELMDECK_DISABLE_AUTH works on loopback addresses only; set HELMDECK_ALLOW_INSECURE=1 if everyone who can reach HELMDECK_ADDR may read everything.',
    );
  }
  return config;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Throws on a likely typo of a known name; returns a warning for every other unknown one. */
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

type LookupResult = { value?: string; from: LoadedConfig['effective'][number]['from'] };

function lookUp(
  name: VariableName,
  about: Variable,
  env: Environment,
  saved: Map<string, string>,
): LookupResult {
  const plain = env[PREFIX + name];
  if (plain) return { value: plain, from: 'environment' };
  const path = (about.secret || about.file) && env[`${PREFIX}${name}_FILE`];
  if (path) return { value: readSecret(`${PREFIX}${name}_FILE`, path), from: 'file' };
  const stored = saved.get(PREFIX + name);
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

/** A secret of the secrets file in the data folder, whatever the environment says. */
export function savedSecret(dataDir: string, name: string): string | undefined {
  return readSecretsFile(resolve(dataDir, SECRETS_FILE)).get(name);
}

function readSecretsFile(path: string): Map<string, string> {
  const secrets = new Map<string, string>();
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return secrets;
    throw new ConfigError(`The secrets file ${SECRETS_FILE} in the data folder cannot be read.`);
  }
  for (const line of text.split('\n')) {
    const match = /^\s*(HELMDECK_[A-Z0-9_]+)=(.*)$/.exec(line);
    if (match) secrets.set(match[1]!, match[2]!.trim());
  }
  return secrets;
}

const folderOf = (db: string) => (/^[a-z]+:/.test(db) ? './data' : dirname(db));

const MASK = '********';
const SECRET_PARAMETER = '[?&;][^=&]*(?:password|passwd|token|key|secret)[^=&]*=';

/** Masks credentials in an address. It errs on the side of masking too much, because a password can contain any character. */
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
