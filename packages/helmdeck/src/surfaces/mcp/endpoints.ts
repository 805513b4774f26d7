import { createConfirmForget } from './confirm-forget.ts';
import { createMcpServer } from './mcp-server.ts';
import type { McpEndpoint, McpServices, ServerOptions } from './mcp-services.ts';
import type { Profile } from './tools/tool-names.ts';

export const MCP_PATHS = Object.freeze({
  path: '/api/v1/mcp',
  ssePath: '/api/v1/mcp/sse',
  messagePath: '/api/v1/mcp/sse/message',
});
export const MEMORY_PATH = '/api/v1/mcp/memory';

/** The MCP servers for packs and memory; the QMD bridge has an endpoint of its own. */
export function mcpEndpoints(services: McpServices): McpEndpoint[] {
  const confirmForget = createConfirmForget(services.now);
  const serve = (profile: Profile) => ({
    createServer: (options: ServerOptions) => createMcpServer(services, profile, confirmForget, options),
  });
  return [
    { ...MCP_PATHS, ...serve('all') },
    { path: MEMORY_PATH, ...serve('memory') },
  ];
}
