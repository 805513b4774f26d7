import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Context } from 'hono';
import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, readBody } from './body.ts';

function coming(headers: Record<string, string> = {}) {
  const incoming = Object.assign(new PassThrough(), { headers });
  return { incoming, body: (async () => readBody({ env: { incoming } } as unknown as Context))() };
}

describe('a body from the socket', () => {
  it('arrives whole, in however many pieces it comes', async () => {
    const { incoming, body } = coming();
    for (const piece of ['{"a"', ':', '1}']) incoming.write(piece);
    incoming.end();
    expect(Buffer.from(await body).toString()).toBe('{"a":1}');
  });

  it('that is there already is read at once, in however many pieces it came, and to its end', async () => {
    const incoming = Object.assign(new PassThrough(), { headers: { 'content-length': '7' } });
    for (const piece of ['{"a"', ':', '1}']) incoming.write(piece);
    const body = readBody({ env: { incoming } } as unknown as Context);
    expect(String(body)).toBe('{"a":1}');
    incoming.end();
    await once(incoming, 'end');
  });

  it('that is announced as empty is empty', async () => {
    const { incoming, body } = coming({ 'content-length': '0' });
    incoming.end();
    expect(await body).toHaveLength(0);
  });

  it('that is too large is refused, by its announcement or while it comes in', async () => {
    const announced = coming({ 'content-length': String(MAX_BODY_BYTES + 1) });
    await expect(announced.body).rejects.toMatchObject({ code: 'payload_too_large' });
    const { incoming, body } = coming();
    incoming.write(Buffer.alloc(MAX_BODY_BYTES));
    incoming.write('!');
    await expect(body).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('whose sender hangs up halfway is no failure of the server', async () => {
    const { incoming, body } = coming({ 'content-length': '10' });
    incoming.write('{"a"');
    incoming.destroy(new Error('aborted'));
    await expect(body).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
