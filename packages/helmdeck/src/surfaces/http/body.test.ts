import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Context } from 'hono';
import { describe, expect, it } from 'vitest';
import { bodyChunks, MAX_BODY_BYTES, readBody } from './body.ts';

function startReading(headers: Record<string, string> = {}) {
  const incoming = Object.assign(new PassThrough(), { headers });
  return { incoming, body: (async () => readBody({ env: { incoming } } as unknown as Context))() };
}

describe('reading a body from the socket', () => {
  it('a body in several chunks is read completely', async () => {
    const { incoming, body } = startReading();
    for (const chunk of ['{"a"', ':', '1}']) incoming.write(chunk);
    incoming.end();
    expect(Buffer.from(await body).toString()).toBe('{"a":1}');
  });

  it('a body that is already buffered is read synchronously, and the stream still ends', async () => {
    const incoming = Object.assign(new PassThrough(), { headers: { 'content-length': '7' } });
    for (const chunk of ['{"a"', ':', '1}']) incoming.write(chunk);
    const body = readBody({ env: { incoming } } as unknown as Context);
    expect(String(body)).toBe('{"a":1}');
    incoming.end();
    await once(incoming, 'end');
  });

  it('a body with Content-Length 0 is empty', async () => {
    const { incoming, body } = startReading({ 'content-length': '0' });
    incoming.end();
    expect(await body).toHaveLength(0);
  });

  it('a body that is too large is rejected, by its Content-Length or while it arrives', async () => {
    const declared = startReading({ 'content-length': String(MAX_BODY_BYTES + 1) });
    await expect(declared.body).rejects.toMatchObject({ code: 'payload_too_large' });
    const { incoming, body } = startReading();
    incoming.write(Buffer.alloc(MAX_BODY_BYTES));
    incoming.write('!');
    await expect(body).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('a connection that closes halfway through the body is not a server error', async () => {
    const { incoming, body } = startReading({ 'content-length': '10' });
    incoming.write('{"a"');
    incoming.destroy(new Error('aborted'));
    await expect(body).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('an upload whose connection closes halfway is not a server error, and what arrived was read', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('{"key"')),
      pull: (controller) => controller.error(new Error('aborted')),
    });
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of bodyChunks({ req: { raw: { body } } } as unknown as Context))
        read.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toMatchObject({ code: 'invalid_input' });
    expect(read).toEqual(['{"key"']);
  });
});
