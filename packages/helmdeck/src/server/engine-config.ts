import { resolve } from 'node:path';
import { url, type Values } from './config-values.ts';

/** What the engine is built from besides the rooms around packs. */
export interface EngineConfig {
  gateway?: { baseUrl: string; apiKey?: string; defaultModel?: string };
  /** Folder of the operator's own packs. */
  packsDir?: string;
}

export function engineConfig(values: Values): EngineConfig {
  const baseUrl = url('GATEWAY_URL', values);
  const apiKey = values.get('GATEWAY_API_KEY');
  const packsDir = values.get('PACKS_DIR');
  return {
    ...(baseUrl === undefined
      ? {}
      : { gateway: { baseUrl, apiKey, defaultModel: values.get('GATEWAY_MODEL') } }),
    ...(packsDir === undefined ? {} : { packsDir: resolve(packsDir) }),
  };
}
