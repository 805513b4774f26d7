// @ts-check
import { isHelmdeckPath } from './paths.js';

/** @import { ToolCall } from './plugin-api.js' */

/**
 * A plain memory_search searches only OpenClaw's own memory; this extends it to Helmdeck, and routes
 * helmdeck:// paths of memory_get there. A corpus that the agent chose itself is not changed.
 * @param {ToolCall} call
 */
export function searchEverywhere({ toolName, params }) {
  if (params.corpus) return undefined;
  if (toolName === 'memory_search') return { params: { ...params, corpus: 'all' } };
  if (toolName === 'memory_get' && isHelmdeckPath(params.path))
    return { params: { ...params, corpus: 'wiki' } };
  return undefined;
}
