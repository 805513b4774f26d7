import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

// The baseline of bench/mcp.ts: the same SDK with one tool that does nothing, without authentication.
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  server.registerTool('empty', { inputSchema: z.object({}) }, () => ({ content: [] }));
  return server;
});
const bare = createServer(getRequestListener((request) => handler.fetch(request)));
bare.listen(0, '127.0.0.1', () => {
  const { port } = bare.address() as AddressInfo;
  process.send!({ url: `http://127.0.0.1:${port}`, token: '' });
});
process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
