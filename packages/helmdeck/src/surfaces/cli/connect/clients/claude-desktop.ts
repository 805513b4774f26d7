import { join } from 'node:path';
import { applicationDir } from '../application-dir.ts';
import { commandClient } from './json-client.ts';

export const claudeDesktop = commandClient({
  name: 'claude-desktop',
  title: 'Claude Desktop',
  path: (machine) => join(applicationDir(machine), 'Claude', 'claude_desktop_config.json'),
  servers: ['mcpServers'],
  recall: [],
  insteadOfRecall:
    'Claude Desktop has no file for it. Put "At the start, call memory_recall about the topic and my preferences." into Settings, Profile, Personal preferences.',
  next: 'Quit Claude Desktop and start it again; Settings, Developer lists helmdeck.',
});
