/** Which MCP server of Helmdeck a program is given: where it is, and the least that a token needs there. */
export const MCP_PROFILES = {
  memory: { path: '/api/v1/mcp/memory', scopes: ['memory:read', 'memory:write'] },
  all: { path: '/api/v1/mcp', scopes: ['memory:read', 'memory:write', 'packs:run'] },
  qmd: { path: '/api/v1/mcp/qmd', scopes: ['memory:read'] },
} as const;

export type McpProfile = keyof typeof MCP_PROFILES;
