import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { eventHook } from '../event-hook.ts';
import { addressClient } from './json-client.ts';

const HOOK_TIMEOUT_SECONDS = 5;

const settingsDir = ({ environment, homeDir }: Machine) =>
  environment.CLAUDE_CONFIG_DIR ?? join(homeDir, '.claude');

const hook = (event: string, more: { matcher?: string; asks?: 'only' } = {}) =>
  eventHook('claude-code', (machine) => join(settingsDir(machine), 'settings.json'), {
    event,
    timeout: HOOK_TIMEOUT_SECONDS,
    ...more,
  });

/** Claude Code: `.claude.json`, and hooks in `settings.json`. */
export const claudeCode = addressClient({
  name: 'claude-code',
  title: 'Claude Code',
  path: ({ environment, homeDir }) => join(environment.CLAUDE_CONFIG_DIR ?? homeDir, '.claude.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'http', url }),
  // Not on resume: a resumed conversation still has the notes, a compacted one may have lost them.
  recall: [hook('SessionStart', { matcher: 'startup|clear|compact' }), hook('UserPromptSubmit')],
  capture: [hook('PreCompact'), hook('SessionEnd'), hook('Stop', { asks: 'only' })],
  next: 'Restart Claude Code; /mcp lists helmdeck.',
});
