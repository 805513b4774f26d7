import { join } from 'node:path';
import { sessionHook } from '../session-hook.ts';
import { addressClient } from './json-client.ts';

const HOOK_TIMEOUT_MS = 15_000;

const settings = ({ homeDir }: { homeDir: string }) => join(homeDir, '.qwen', 'settings.json');

/** Qwen Code: `settings.json`, with a SessionStart hook. */
export const qwenCode = addressClient({
  name: 'qwen-code',
  title: 'Qwen Code',
  path: settings,
  servers: ['mcpServers'],
  // Otherwise the model has to search for the tools before it can call them.
  fields: (httpUrl) => ({ httpUrl, alwaysLoadTools: true }),
  recall: [sessionHook('qwen-code', settings, { matcher: 'startup', timeout: HOOK_TIMEOUT_MS })],
  next: 'Restart Qwen Code; /mcp lists helmdeck.',
});
