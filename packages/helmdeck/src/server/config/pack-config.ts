import type { S3Account } from '../../artifacts/s3-client.ts';
import { type Allowlist, parseAllowlist } from '../../packs/egress/egress-policy.ts';
import { ConfigError, oneOf, secretList, url, type Values } from './config-values.ts';

/** Settings of the services that packs use: vault, artifacts, GitHub, egress. */
export interface PackConfig {
  vaultKey?: string;
  vaultKeysPrevious: string[];
  s3?: S3Account & { bucket: string };
  /** The S3 account without a bucket: backup addresses name their own. */
  s3Account?: S3Account;
  githubApiUrl: string;
  egressAllowlist: Allowlist;
}

export function packConfig(values: Values): PackConfig {
  url('S3_PUBLIC_ENDPOINT', values);
  return {
    ...vaultKeys(values),
    ...s3Config(values),
    githubApiUrl: url('GITHUB_API_URL', values)!,
    egressAllowlist: allowlist(values.get('EGRESS_ALLOWLIST') ?? ''),
  };
}

function vaultKeys(values: Values): Pick<PackConfig, 'vaultKey' | 'vaultKeysPrevious'> {
  const vaultKey = values.get('VAULT_KEY')?.toLowerCase();
  const vaultKeysPrevious = secretList('VAULT_KEY_PREVIOUS', values).map((key) => key.toLowerCase());
  const isKey = (key: string) => /^[0-9a-f]{64}$/.test(key);
  if (vaultKey !== undefined && !isKey(vaultKey))
    throw new ConfigError('HELMDECK_VAULT_KEY is not 64 hexadecimal characters.');
  if (!vaultKeysPrevious.every(isKey))
    throw new ConfigError(
      'HELMDECK_VAULT_KEY_PREVIOUS contains a key that is not 64 hexadecimal characters.',
    );
  if (vaultKey === undefined && vaultKeysPrevious.length > 0)
    throw new ConfigError('HELMDECK_VAULT_KEY_PREVIOUS is set, but HELMDECK_VAULT_KEY is not.');
  const memoryKeys = [values.get('MEMORY_KEY') ?? '', ...secretList('MEMORY_KEY_PREVIOUS', values)];
  if (memoryKeys.some((key) => [vaultKey, ...vaultKeysPrevious].includes(key.toLowerCase()))) {
    throw new ConfigError(
      'HELMDECK_VAULT_KEY must differ from HELMDECK_MEMORY_KEY: a leaked key must not open both.',
    );
  }
  return { vaultKey, vaultKeysPrevious };
}

/** Accepts a complete S3 configuration or none: a partial one would silently store artifacts in the wrong place. */
function s3Config(values: Values): Pick<PackConfig, 's3' | 's3Account'> {
  const endpoint = url('S3_ENDPOINT', values);
  const addressing = oneOf('S3_ADDRESSING', values.get('S3_ADDRESSING')!, ['path', 'virtual']);
  // Backup addresses name their own bucket: with S3 used for backups only, artifacts stay in files.
  const bucketNeeded = !values.get('BACKUP_URL')?.startsWith('s3:');
  const keys = ['S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const;
  if (endpoint === undefined) {
    const set = (['S3_BUCKET', ...keys] as const).find((name) => values.has(name));
    if (set) throw new ConfigError(`HELMDECK_S3_ENDPOINT is not set, but HELMDECK_${set} is.`);
    return { s3: undefined, s3Account: undefined };
  }
  const missing = [...(bucketNeeded ? ['S3_BUCKET'] : []), ...keys].find((name) => !values.has(name));
  if (missing) throw new ConfigError(`HELMDECK_S3_ENDPOINT is set, but HELMDECK_${missing} is not.`);
  const bucket = values.get('S3_BUCKET');
  if (bucket !== undefined && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new ConfigError('HELMDECK_S3_BUCKET is not a valid bucket name.');
  const s3Account: S3Account = {
    endpoint,
    accessKey: values.get('S3_ACCESS_KEY')!,
    secretKey: values.get('S3_SECRET_KEY')!,
    region: values.get('S3_REGION')!,
    addressing: addressing as S3Account['addressing'],
  };
  return bucket === undefined ? { s3Account } : { s3Account, s3: { ...s3Account, bucket } };
}

function allowlist(text: string): Allowlist {
  const parsed = parseAllowlist(text);
  if ('problem' in parsed)
    throw new ConfigError(`HELMDECK_EGRESS_ALLOWLIST is not valid: ${parsed.problem}.`);
  return parsed;
}
