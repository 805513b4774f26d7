// @ts-check
import { isHelmdeckPath } from './paths.js';

/** @import { ToolCall } from './plugin-api.js' */

/**
 * A plain memory_search asks OpenClaw's own memory only; this makes it ask Helmdeck as well, and sends
 * helmdeck:// paths where they are known. A corpus that the agent chose itself stays.
 * @param {ToolCall} call
 */
export function searchEverywhere({ toolName, params }) {
  if (params.corpus) return undefined;
  if (toolName === 'memory_search') return { params: { ...params, corpus: 'all' } };
  if (toolName === 'memory_get' && isHelmdeckPath(params.path))
    return { params: { ...params, corpus: 'wiki' } };
  return undefined;
}
