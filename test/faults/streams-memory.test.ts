import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ChildServer, startChild } from './child-server.ts';

const STREAMS = 60;
const FACTS = 100;
/** Well above what one search of these facts takes, well below what 60 of them at once take. */
const HEAP_MIB = 256;
/** Everything outside the heap as well: code, buffers, threads. */
const MAX_RSS_MIB = 512;

/** Opens a legacy event stream, and returns the path to post its messages to. */
async function openStream(socket: Socket, authorization: string): Promise<string> {
  socket.write(`GET /api/v1/mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`);
  let opening = '';
  while (!opening.includes('sessionId=')) opening += String((await once(socket, 'data'))[0]);
  return /data: (\S+)/.exec(opening)![1]!;
}

/** The most RAM that a process has had so far. */
function peakRssMib({ child }: ChildServer): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

/** Resolves when a process is dead, or has used almost no processor time for two seconds. */
async function untilIdle({ child }: ChildServer): Promise<void> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  for (let quiet = 0; quiet < 2 && child.exitCode === null && child.signalCode === null; ) {
    const before = ticks();
    await delay(1_000);
    quiet = child.exitCode === null && child.signalCode === null && ticks() - before < 10 ? quiet + 1 : 0;
  }
}

it.skipIf(process.platform !== 'linux').each(['reads', 'does not read'])(
  'the RAM of the server is bounded when a caller searches on 60 streams at once and %s the responses',
  async (client) => {
    const server = await startChild({
      HELMDECK_DB: 'memory:',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    });
    const { hostname, port } = new URL(server.url);
    const sockets: Socket[] = [];
    try {
      for (let number = 0; number < FACTS; number++) {
        const fact = { key: `k${number}`, value: `needle ${'word '.repeat(12_800)}` };
        expect((await server.call('hoarder', 'POST', '/api/v1/memory/store', fact)).status).toBe(200);
      }
      const authorization = await server.authorization('hoarder');
      const targets: string[] = [];
      for (let count = 0; count < STREAMS; count++) {
        const socket = connect(Number(port), hostname).on('error', () => {});
        sockets.push(socket);
        targets.push(await openStream(socket, authorization));
        if (client === 'reads') socket.resume();
        else socket.pause();
      }
      const search = { name: 'memory_recall', arguments: { query: 'needle', limit: 100 } };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: search };
      const headers = { authorization, 'content-type': 'application/json' };
      const post = (target: string) =>
        fetch(server.url + target, { method: 'POST', headers, body: JSON.stringify(message) });
      const accepted = await Promise.all(targets.map(post));
      expect(accepted.filter(({ status }) => status === 202)).toHaveLength(STREAMS);
      await untilIdle(server);
      expect(server.child.exitCode ?? server.child.signalCode, 'the server lives').toBeNull();
      expect(peakRssMib(server)).toBeLessThan(MAX_RSS_MIB);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.kill();
    }
  },
  120_000,
);
