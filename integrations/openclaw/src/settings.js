// @ts-check
/** @import { AgentRef, McpServer, OpenClawConfig, PluginApi, PluginConfig } from './plugin-api.js' */

/**
 * The address of Helmdeck, and the token of each agent.
 * @typedef {{
 *   baseUrl: string,
 *   tokenFor(agentRef: AgentRef): string,
 *   storeTool: string | undefined,
 *   spaces: string | undefined,
 *   autoRecall: boolean,
 *   autoCapture: boolean,
 *   timeoutMs: number,
 * }} Settings
 */

const DEFAULTS = Object.freeze({ server: 'helmdeck', timeoutMs: 8_000 });
const MCP_PATH = '/api/v1/mcp';

/**
 * Read again for every request, so that a rotated token is used without a restart.
 * @param {Pick<PluginApi, 'config' | 'pluginConfig' | 'runtime'>} api
 * @param {string} pluginId
 * @returns {Settings}
 */
export function currentSettings(api, pluginId) {
  const config = api.runtime?.config?.current?.() ?? api.config;
  const own = config.plugins?.entries?.[pluginId]?.config ?? api.pluginConfig ?? {};
  return settingsOf(config, own);
}

/**
 * @param {OpenClawConfig} config
 * @param {PluginConfig} own
 * @returns {Settings}
 */
export function settingsOf(config, own) {
  const { server = DEFAULTS.server, timeoutMs = DEFAULTS.timeoutMs } = own;
  const { autoRecall = false, autoCapture = false } = own;
  const servers = config.mcp?.servers ?? {};
  const mcpServer = Object.hasOwn(servers, server) ? servers[server] : undefined;
  const baseUrl = baseUrlOf(
    own.url ?? textOf(mcpServer?.url) ?? textOf(mcpServer?.env?.HELMDECK_URL),
    server,
  );
  return {
    baseUrl,
    storeTool: mcpServer && mcpServer.enabled !== false ? `${server}__memory_store` : undefined,
    spaces: textOf(own.spaces),
    autoRecall,
    autoCapture,
    timeoutMs,
    tokenFor(agentRef) {
      if (own.agents !== undefined) return tokenOfAgent(own.agents, agentRef);
      const token = own.token ?? bearerOf(mcpServer);
      if (token === undefined)
        throw new Error(
          `There is no Helmdeck token. Run "openclaw mcp add ${server} …" or set the plugin's token.`,
        );
      return token;
    },
  };
}

/**
 * @param {unknown} value
 * @returns {string | undefined}
 */
const textOf = (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);

/**
 * The URL without the route; the path prefix of a proxy is kept.
 * @param {string | undefined} address
 * @param {string} server
 */
function baseUrlOf(address, server) {
  if (address === undefined)
    throw new Error(
      `Helmdeck's address is not known. Run "openclaw mcp add ${server} …" or set the plugin's url.`,
    );
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("Helmdeck's address is not an http or https URL.");
  const routes = url.pathname.indexOf(MCP_PATH);
  const path = routes < 0 ? url.pathname : url.pathname.slice(0, routes);
  return url.origin + path.replace(/\/+$/, '');
}

/**
 * @param {McpServer | undefined} mcpServer
 * @returns {string | undefined}
 */
function bearerOf(mcpServer) {
  const header = Object.entries(mcpServer?.headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'authorization',
  );
  const bearer = /^Bearer\s+(\S+)$/i.exec(textOf(header?.[1]) ?? '')?.[1];
  return bearer ?? textOf(mcpServer?.env?.HELMDECK_TOKEN);
}

/**
 * An agent without its own token gets none: another agent's token would give access to that agent's memory.
 * @param {Record<string, { token: string }>} agents
 * @param {AgentRef} agentRef
 */
function tokenOfAgent(agents, agentRef) {
  const agent = agentOf(agentRef);
  const found = agent && Object.entries(agents).find(([name]) => name.toLowerCase() === agent);
  if (!found)
    throw new Error(
      `${agent ? `The agent "${agent.slice(0, 64)}"` : 'This agent'} has no Helmdeck token; add one under agents in the plugin's settings.`,
    );
  return found[1].token;
}

/**
 * @param {AgentRef} agentRef
 * @returns {string | undefined}
 */
function agentOf({ agentId, agentSessionKey }) {
  const agent = textOf(agentId) ?? /^agent:([^:]+):/i.exec(textOf(agentSessionKey) ?? '')?.[1];
  return agent?.toLowerCase();
}
