import { join } from 'node:path';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

export const cursor = addressClient({
  name: 'cursor',
  title: 'Cursor',
  path: ({ homeDir }) => join(homeDir, '.cursor', 'mcp.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ url }),
  // Cursor reads rules from the project's folder; rules for all projects are in its settings only.
  recall: [
    recallLines(
      ({ workDir }) => join(workDir, '.cursor', 'rules', 'helmdeck.mdc'),
      '---\ndescription: Long-term memory\nalwaysApply: true\n---\n',
    ),
  ],
  next: 'Open Settings, MCP in Cursor and switch helmdeck on.',
});
