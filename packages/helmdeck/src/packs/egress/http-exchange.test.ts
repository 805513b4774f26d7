import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from './http-exchange.ts';

let server: Server;
let connections: number;
let bytes: number;
let port: number;

beforeEach(async () => {
  connections = 0;
  bytes = 0;
  server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Accepts an address so many times, as a check that can be fooled would. */
function acceptingTimes(times: number) {
  const seen: string[] = [];
  const assertAddress = (address: string) => {
    seen.push(address);
    if (seen.length > times) throw new Error('refused');
  };
  return { seen, assertAddress };
}
const send = (host: string, assertAddress: (address: string) => void) =>
  exchange(
    { url: new URL(`http://${host}:${port}/`), method: 'POST', headers: {}, body: 'secret' },
    {
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      assertAddress,
      maxBytes: 100,
      signal: AbortSignal.timeout(5_000),
    },
  );

describe('one exchange', () => {
  it('checks what the name leads to and what it is connected to', async () => {
    const { seen, assertAddress } = acceptingTimes(2);
    expect((await send('name.example', assertAddress)).status).toBe(200);
    expect(seen).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('sends not a byte to a peer that does not pass, though its name did', async () => {
    await expect(send('name.example', acceptingTimes(1).assertAddress)).rejects.toThrow('refused');
    await expect.poll(() => connections).toBe(1);
    expect(bytes).toBe(0);
  });

  it('checks the peer of an address that needed no look-up', async () => {
    await expect(send('127.0.0.1', acceptingTimes(0).assertAddress)).rejects.toThrow('refused');
    expect(bytes).toBe(0);
    expect((await send('127.0.0.1', acceptingTimes(1).assertAddress)).status).toBe(200);
  });

  it('connects to nothing when the name does not pass', async () => {
    await expect(send('name.example', acceptingTimes(0).assertAddress)).rejects.toThrow('refused');
    expect(connections).toBe(0);
  });
});
