import { resolve } from 'node:path';
import { ConfigError, url, type Values } from './config-values.ts';

/** Settings of the engine: language model gateway, user packs, shared cache. */
export interface EngineConfig {
  gateway?: { baseUrl: string; apiKey?: string; defaultModel?: string };
  /** Folder of user packs. */
  packsDir?: string;
  /** Redis that caches pack results. */
  cacheUrl?: string;
}

export function engineConfig(values: Values): EngineConfig {
  const baseUrl = url('GATEWAY_URL', values);
  const apiKey = values.get('GATEWAY_API_KEY');
  const packsDir = values.get('PACKS_DIR');
  const cacheUrl = values.get('CACHE_URL');
  if (cacheUrl !== undefined && !/^rediss?:\/\/./.test(cacheUrl))
    throw new ConfigError('HELMDECK_CACHE_URL must be a redis or rediss URL.');
  return {
    ...(baseUrl === undefined
      ? {}
      : { gateway: { baseUrl, apiKey, defaultModel: values.get('GATEWAY_MODEL') } }),
    cacheUrl,
    ...(packsDir === undefined ? {} : { packsDir: resolve(packsDir) }),
  };
}
