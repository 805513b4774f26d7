import { parseS3Address } from '../backup/backup-target.ts';
import { ConfigError, duration, isFile, PREFIX, positiveInteger, type Values } from './config-values.ts';

/** Settings of scheduled backups: HELMDECK_BACKUP_URL, _EVERY and _KEEP. */
export interface BackupConfig {
  /** A folder, or `s3://bucket/prefix`. */
  url: string;
  everyMs: number;
  keep: number;
}

export function backupConfig(values: Values, db: string, hasS3: boolean): BackupConfig | undefined {
  const everyMs = duration('BACKUP_EVERY', values);
  const keep = positiveInteger('BACKUP_KEEP', values.get('BACKUP_KEEP')!);
  const url = values.get('BACKUP_URL');
  if (url === undefined) return undefined;
  if (!isFile(db))
    throw new ConfigError(
      `${PREFIX}BACKUP_URL needs a database file, and HELMDECK_DB is not one; use the tools of the database server.`,
    );
  if (/^[a-z][a-z0-9+.-]*:/.test(url) && !parseS3Address(url))
    throw new ConfigError(`${PREFIX}BACKUP_URL must be a folder or look like s3://bucket/prefix.`);
  if (url.startsWith('s3:') && !hasS3)
    throw new ConfigError(`${PREFIX}BACKUP_URL is an s3:// address, but HELMDECK_S3_ENDPOINT is not set.`);
  return { url, everyMs, keep };
}
