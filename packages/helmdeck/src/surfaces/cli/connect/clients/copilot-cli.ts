import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { copilotHook } from '../session-hook.ts';
import { addressClient } from './json-client.ts';

const inCopilot =
  (...names: string[]) =>
  ({ environment, homeDir }: Machine) =>
    join(environment.COPILOT_HOME ?? join(homeDir, '.copilot'), ...names);

/** Copilot CLI: `mcp-config.json`, and a file of its own in the folder of hooks. */
export const copilotCli = addressClient({
  name: 'copilot-cli',
  title: 'Copilot CLI',
  path: inCopilot('mcp-config.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'http', url, tools: ['*'] }),
  recall: [copilotHook('copilot-cli', inCopilot('hooks', 'helmdeck.json'))],
  next: 'Start copilot; /mcp lists helmdeck.',
});
