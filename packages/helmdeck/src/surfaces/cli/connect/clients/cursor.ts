import { join } from 'node:path';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

/** Cursor: `~/.cursor/mcp.json`, and a rule file in the project. */
export const cursor = addressClient({
  name: 'cursor',
  title: 'Cursor',
  path: ({ homeDir }) => join(homeDir, '.cursor', 'mcp.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ url }),
  // Cursor reads rule files only from the project folder; global rules are in its settings, not in a file.
  recall: [
    recallLines(({ workDir }) => join(workDir, '.cursor', 'rules', 'helmdeck.mdc'), {
      heading: '---\ndescription: Long-term memory\nalwaysApply: true\n---\n',
    }),
  ],
  next: 'Open Settings, MCP in Cursor and enable helmdeck.',
});
