import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { testServer } from '../packages/helmdeck/src/testing/index.ts';
import { connectClient } from '../test/mcp/clients.ts';

// MCP calls beside a bare server of the same SDK with one empty tool, in one run on one machine: ratios, not promises.

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '3000' },
    facts: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
  },
});
const calls = Number(options.calls);
const facts = Number(options.facts);
const connections = Number(options.connections);
const rounds = Number(options.rounds);
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-mcp-'));

const handler = createMcpHandler(() => {
  const bare = new McpServer({ name: 'bare', version: '1.0.0' });
  bare.registerTool('empty', { inputSchema: z.object({}) }, () => ({ content: [] }));
  return bare;
});
const bare = createServer(getRequestListener((request) => handler.fetch(request)));
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
const { port } = bare.address() as { port: number };

const server = await testServer({
  socket: true,
  env: {
    HELMDECK_DB: join(folder, 'bench.db'),
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
  },
});
const authorization = `Bearer ${await server.token('ada')}`;
for (let at = 0; at < facts; at += 500) {
  const batch = Array.from({ length: Math.min(500, facts - at) }, (_, n) => ({
    key: `bench/${at + n}`,
    value: `fact number ${at + n} about topic${(at + n) % 97} and place${(at + n) % 31}`,
  }));
  await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts: batch });
}

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function callTool(url: string, name: string, input: object): Promise<void> {
  const params = { name, arguments: input, _meta: META };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const answer = (await response.json()) as { result?: { isError?: boolean } };
  if (!answer.result || answer.result.isError) throw new Error(`${name} failed: ${JSON.stringify(answer)}`);
}

/** Calls per second over several connections. */
async function rate(work: (n: number) => Promise<void>): Promise<number> {
  let next = 0;
  const worker = async () => {
    while (next < calls) await work(next++);
  };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  return calls / ((performance.now() - startMs) / 1000);
}

const best = { bare: 0, recall: 0, store: 0 };
const mcp = `${server.url}/api/v1/mcp`;
for (let round = 0; round < rounds; round++) {
  best.bare = Math.max(best.bare, await rate(() => callTool(`http://127.0.0.1:${port}/`, 'empty', {})));
  const query = (n: number) => ({ query: `topic${n % 97} place${n % 31}`, limit: 5 });
  best.recall = Math.max(best.recall, await rate((n) => callTool(mcp, 'memory_recall', query(n))));
  const fact = (n: number) => ({
    key: `stored/${round}/${n}`,
    value: `a fact of round ${round}, number ${n}`,
  });
  best.store = Math.max(best.store, await rate((n) => callTool(mcp, 'memory_store', fact(n))));
}
const line = (name: string, value: number) =>
  console.log(
    `${name.padEnd(16)} ${Math.round(value).toString().padStart(7)} calls/s  ${(value / best.bare).toFixed(2)} of bare`,
  );
line('bare empty tool', best.bare);
line('memory_recall', best.recall);
line('memory_store', best.store);

for (const path of ['/api/v1/mcp', '/api/v1/mcp/memory']) {
  const client = await connectClient(server, '2026-07-28', 'ada', { path });
  const { tools } = await client.listTools();
  const bytes = tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool.inputSchema)), 0);
  console.log(
    `${path}: ${tools.length} tools, ${bytes} bytes of input schemas, ${Buffer.byteLength(JSON.stringify(tools))} in all`,
  );
  await client.close();
}
await server.close();
bare.closeAllConnections();
bare.close();
rmSync(folder, { recursive: true });
