import { DEFAULT_SCOPES, type Identity } from '../http/auth.ts';
import { createConfirmForget } from './confirm-forget.ts';
import { createMcpServer } from './mcp-server.ts';
import type { McpEndpoint, McpResource, McpServices, ServerOptions } from './mcp-services.ts';
import { createSearchServer } from './search/search-server.ts';
import { assertToolScopes, type Profile } from './tools/tool-names.ts';

export const MCP_PATHS = Object.freeze({
  path: '/api/v1/mcp',
  ssePath: '/api/v1/mcp/sse',
  messagePath: '/api/v1/mcp/sse/message',
});
export const MEMORY_PATH = '/api/v1/mcp/memory';
export const SEARCH_PATH = '/api/v1/mcp/search';

/** What OAuth clients can get tokens for: the paths of each MCP server, and the scopes to ask for at first. */
const ALL: McpResource = { paths: Object.values(MCP_PATHS), scopes: DEFAULT_SCOPES };
const MEMORY: McpResource = { paths: [MEMORY_PATH], scopes: ['memory:read', 'memory:write'] };
const SEARCH: McpResource = { paths: [SEARCH_PATH], scopes: ['memory:read'] };
export const MCP_RESOURCES: readonly McpResource[] = [ALL, MEMORY, SEARCH];

/** The MCP servers for packs and memory; the QMD bridge has an endpoint of its own. */
export function mcpEndpoints(services: McpServices): McpEndpoint[] {
  const confirmForget = createConfirmForget(services.now);
  const serve = (profile: Profile) => ({
    createServer: (options: ServerOptions) => createMcpServer(services, profile, confirmForget, options),
    assertScopes: (message: unknown, identity: Identity) =>
      assertToolScopes(services.engine.packs, profile, message, identity),
  });
  return [
    { ...MCP_PATHS, resource: ALL, ...serve('all') },
    { path: MEMORY_PATH, resource: MEMORY, ...serve('memory') },
    {
      path: SEARCH_PATH,
      resource: SEARCH,
      scope: 'memory:read',
      createServer: () => createSearchServer(services),
    },
  ];
}
