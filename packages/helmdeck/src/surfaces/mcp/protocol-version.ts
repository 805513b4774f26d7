import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a message says itself that it is of the newer protocol. The SDK's own question, `isLegacyRequest`, is asked
 * again by its handler and costs as much as the rest of the dispatch; this settles the usual case without it.
 * What it does not settle (no claim, `initialize`, answers, batches) is left to the SDK.
 */
export function claimsModernEra(message: unknown): boolean {
  if (!isObject(message) || 'result' in message || 'error' in message) return false;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || method === 'initialize') return false;
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) return false;
  return isObject(params) && isObject(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta;
}
