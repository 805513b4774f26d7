import type { Hono } from 'hono';
import { mcpEndpoints } from '../../surfaces/mcp/endpoints.ts';
import type { McpServices } from '../../surfaces/mcp/mcp-services.ts';
import { mountMcp } from '../../surfaces/mcp/mount.ts';
import { corpusMemory, createQmdServer, QMD_PATHS } from '../../surfaces/qmd/qmd-server.ts';

/** Every MCP server at its address: packs and memory, and the corpus bridge. */
export function mountMcpEndpoints(app: Hono, services: McpServices): void {
  mountMcp(app, services, [
    ...mcpEndpoints(services),
    {
      ...QMD_PATHS,
      scope: 'memory:read',
      assertAvailable: () => void corpusMemory(services),
      createServer: () => createQmdServer(services),
    },
  ]);
}
