import { describe, expect, it } from 'vitest';
import { createSessionIds } from './session-id.ts';

const DAY_MS = 86_400_000;
const KEY = Buffer.alloc(32, 7);
const PATH = '/api/v1/mcp';
const ADA = { subject: 'ada' };
const CLIENT = { protocolVersion: '2025-06-18', capabilities: { elicitation: { form: {} } } };

let nowMs = Date.UTC(2026, 0, 1);
const ids = createSessionIds(KEY, () => nowMs);

describe('session ids', () => {
  it('an id carries protocol version and elicitation modes to any process with the same key', () => {
    const elsewhere = createSessionIds(KEY, () => nowMs);
    const read = (capabilities: object) =>
      elsewhere.read(PATH, ADA, ids.issue(PATH, ADA, { ...CLIENT, capabilities }))?.capabilities;
    expect(elsewhere.read(PATH, ADA, ids.issue(PATH, ADA, CLIENT))).toEqual(CLIENT);
    expect(read({})).toEqual({});
    expect(read({ elicitation: {}, sampling: {} })).toEqual({ elicitation: { form: {} } });
    expect(read({ elicitation: { url: {} } })).toEqual({ elicitation: { url: {} } });
    expect(read({ elicitation: { form: {}, url: {} } })).toEqual({ elicitation: { form: {}, url: {} } });
  });

  it('an id is unique, safe in a header and short, whatever the client and the caller are called', () => {
    const caller = { tenant: 'ü'.repeat(100), subject: 'ß'.repeat(100) };
    const client = { protocolVersion: '9'.repeat(1_000), capabilities: { experimental: { x: { y: 'z' } } } };
    const issued = Array.from({ length: 100 }, () => ids.issue(PATH, caller, client));
    expect(new Set(issued).size).toBe(100);
    for (const id of issued) expect(id).toMatch(/^[\w.-]{1,80}$/);
    expect(ids.read(PATH, caller, issued[0]!)?.protocolVersion).toBe('2025-11-25');
  });

  it('an id is unknown to another caller, endpoint or key, and after any change', () => {
    const id = ids.issue(PATH, ADA, CLIENT);
    expect(ids.read(PATH, { subject: 'bob' }, id)).toBeUndefined();
    expect(ids.read(PATH, { tenant: 'x', subject: 'ada' }, id)).toBeUndefined();
    expect(ids.read(`${PATH}/memory`, ADA, id)).toBeUndefined();
    expect(createSessionIds(Buffer.alloc(32, 8), () => nowMs).read(PATH, ADA, id)).toBeUndefined();
    for (let at = 0; at < id.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'e' ? 'u' : 'e') + id.slice(at + 1);
      // The last character of base64url has bits that mean nothing.
      if (at < id.length - 1) expect(ids.read(PATH, ADA, changed), changed).toBeUndefined();
    }
    for (const other of ['', id.slice(0, -1), `${id}A`, `${id}\n`, '1.....', 'x'.repeat(100_000)])
      expect(ids.read(PATH, ADA, other)).toBeUndefined();
  });

  it('an id is taken up for 90 days', () => {
    const id = ids.issue(PATH, ADA, CLIENT);
    nowMs += 90 * DAY_MS;
    expect(ids.read(PATH, ADA, id)).toEqual(CLIENT);
    nowMs += DAY_MS;
    expect(ids.read(PATH, ADA, id)).toBeUndefined();
  });
});
