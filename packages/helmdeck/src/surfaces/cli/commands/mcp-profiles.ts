/** The MCP servers of Helmdeck: the path of each, and the scopes that a token needs for it. */
export const MCP_PROFILES = {
  memory: { path: '/api/v1/mcp/memory', scopes: ['memory:read', 'memory:write'] },
  all: { path: '/api/v1/mcp', scopes: ['memory:read', 'memory:write', 'packs:run'] },
  qmd: { path: '/api/v1/mcp/qmd', scopes: ['memory:read'] },
} as const;

export type McpProfile = keyof typeof MCP_PROFILES;
