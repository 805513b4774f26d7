import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { sessionHook } from '../session-hook.ts';
import { addressClient } from './json-client.ts';

const HOOK_TIMEOUT_SECONDS = 15;

const settingsDir = ({ environment, homeDir }: Machine) =>
  environment.CLAUDE_CONFIG_DIR ?? join(homeDir, '.claude');

/** Claude Code: `.claude.json`, and a SessionStart hook in `settings.json`. */
export const claudeCode = addressClient({
  name: 'claude-code',
  title: 'Claude Code',
  path: ({ environment, homeDir }) => join(environment.CLAUDE_CONFIG_DIR ?? homeDir, '.claude.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'http', url }),
  // Not on resume: a resumed conversation still has the notes, a compacted one may have lost them.
  recall: [
    sessionHook('claude-code', (machine) => join(settingsDir(machine), 'settings.json'), {
      matcher: 'startup|clear|compact',
      timeout: HOOK_TIMEOUT_SECONDS,
    }),
  ],
  next: 'Restart Claude Code; /mcp lists helmdeck.',
});
