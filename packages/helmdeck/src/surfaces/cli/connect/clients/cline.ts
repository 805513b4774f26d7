import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

const clineDir = ({ environment, homeDir }: Machine) => environment.CLINE_DIR ?? join(homeDir, '.cline');

/** The Cline CLI: `cline_mcp_settings.json`, and a rule file. Its hooks cannot add to a prompt. */
export const cline = addressClient({
  name: 'cline',
  title: 'Cline',
  path: (machine) =>
    machine.environment.CLINE_MCP_SETTINGS_PATH ??
    join(
      machine.environment.CLINE_DATA_DIR ?? join(clineDir(machine), 'data'),
      'settings',
      'cline_mcp_settings.json',
    ),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'streamableHttp', url }),
  recall: [recallLines((machine) => join(clineDir(machine), 'rules', 'helmdeck.md'))],
  next: 'Start cline; its list of MCP servers has helmdeck.',
});
