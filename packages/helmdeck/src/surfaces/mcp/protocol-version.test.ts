import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isModernMessage } from './protocol-version.ts';

const claim = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta: claim } };

const oneOf = (...values: unknown[]) => fc.constantFrom(...values);
const anything = fc.oneof(fc.jsonValue(), fc.constant(undefined));
/** Messages of every kind, most of them almost valid. */
const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), anything),
    id: fc.oneof(oneOf(1, 'a', 0, 1.5, null), anything),
    method: fc.oneof(
      oneOf('tools/call', 'initialize', 'server/discover', 'notifications/cancelled'),
      anything,
    ),
    result: oneOf({}, null),
    error: oneOf({ code: 1, message: 'x' }, null),
    params: fc.oneof(
      fc.record({
        _meta: fc.oneof(
          oneOf(claim, { [PROTOCOL_VERSION_META_KEY]: '2025-11-25' }, { [PROTOCOL_VERSION_META_KEY]: 7 }, {}),
          anything,
        ),
      }),
      anything,
    ),
  },
  { requiredKeys: [] },
);
const header = oneOf(undefined, '2026-07-28', '2025-11-25', 'x') as fc.Arbitrary<string | undefined>;

function posted(body: unknown, version: string | undefined): Request {
  return new Request('http://helmdeck/api/v1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    },
    body: JSON.stringify(body),
  });
}

describe('the fast path for the 2026 protocol', () => {
  it('the fast path takes an ordinary call, and no message without a declared version', () => {
    expect(isModernMessage(call)).toBe(true);
    expect(isModernMessage({ ...call, params: { name: 'x' } })).toBe(false);
    expect(isModernMessage([call])).toBe(false);
    expect(isModernMessage(undefined)).toBe(false);
  });

  it('the fast path never takes a message that the SDK would serve as the older protocol', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.jsonValue()), header, async (body, version) => {
        const sent: unknown = JSON.parse(JSON.stringify(body));
        if (isModernMessage(sent)) expect(await isLegacyRequest(posted(sent, version), sent)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
