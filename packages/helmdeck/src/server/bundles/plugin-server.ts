import type { Environment } from '../config/config.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/**
 * The server that a plugin or bundle was installed for. Address and token are taken from the same place: a token must not go
 * to the address of another server.
 */
export function pluginServer(env: Environment): { url: string; token: string | undefined } {
  const [url, token] = env.CLAUDE_PLUGIN_OPTION_TOKEN
    ? [env.CLAUDE_PLUGIN_OPTION_URL, env.CLAUDE_PLUGIN_OPTION_TOKEN]
    : [env.HELMDECK_URL, env.HELMDECK_TOKEN];
  return { url: url || DEFAULT_URL, token: token || undefined };
}
