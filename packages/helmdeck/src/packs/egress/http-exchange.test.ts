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

/** Accepts the first calls and throws from then on. */
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

describe('an HTTP exchange', () => {
  it('an exchange checks the resolved and the connected address', async () => {
    const { seen, assertAddress } = acceptingTimes(2);
    expect((await send('name.example', assertAddress)).status).toBe(200);
    expect(seen).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('an exchange sends no byte to a peer address that fails the check', async () => {
    await expect(send('name.example', acceptingTimes(1).assertAddress)).rejects.toThrow('refused');
    await expect.poll(() => connections).toBe(1);
    expect(bytes).toBe(0);
  });

  it('an exchange checks the peer of a literal address, too', async () => {
    await expect(send('127.0.0.1', acceptingTimes(0).assertAddress)).rejects.toThrow('refused');
    expect(bytes).toBe(0);
    expect((await send('127.0.0.1', acceptingTimes(1).assertAddress)).status).toBe(200);
  });

  it('an exchange does not connect if the resolved address fails the check', async () => {
    await expect(send('name.example', acceptingTimes(0).assertAddress)).rejects.toThrow('refused');
    expect(connections).toBe(0);
  });
});
