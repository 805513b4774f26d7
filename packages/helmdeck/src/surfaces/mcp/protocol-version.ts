import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a message declares the 2026 protocol itself. The SDK's own check, `isLegacyRequest`, costs as much as the rest
 * of the dispatch, and its handler repeats it; this is the fast path for ordinary calls.
 * False for everything else (no declared version, `initialize`, responses, batches): the SDK decides those.
 */
export function isModernMessage(message: unknown): boolean {
  if (!isObject(message) || 'result' in message || 'error' in message) return false;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || method === 'initialize') return false;
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  return isObject(params) && isObject(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta;
}
