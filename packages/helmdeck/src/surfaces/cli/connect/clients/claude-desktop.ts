import { join } from 'node:path';
import { applicationDir } from '../application-dir.ts';
import { commandClient } from './json-client.ts';

/** Claude Desktop: starts Helmdeck as a process, listed in `claude_desktop_config.json`. */
export const claudeDesktop = commandClient({
  name: 'claude-desktop',
  title: 'Claude Desktop',
  path: (machine) => join(applicationDir(machine), 'Claude', 'claude_desktop_config.json'),
  servers: ['mcpServers'],
  recall: [],
  recallAlternative:
    'Claude Desktop has no file for it. Add "At the start, call memory_recall about the topic and my preferences." to Settings, Profile, Personal preferences.',
  next: 'Restart Claude Desktop; Settings, Developer lists helmdeck.',
});
