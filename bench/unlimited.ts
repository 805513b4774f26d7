import { join } from 'node:path';

/** The configuration of a measured server: its database in this folder, without rate limit and quotas. */
export const unlimited = (folder: string) => ({
  HELMDECK_DB: join(folder, 'bench.db'),
  HELMDECK_ADDR: '127.0.0.1:0',
  HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
  HELMDECK_RATE_LIMIT: 'off',
  HELMDECK_QUOTA_FACTS: 'off',
  HELMDECK_QUOTA_BYTES: 'off',
});
