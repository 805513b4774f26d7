import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { eventHook } from '../event-hook.ts';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

const HOOK_TIMEOUT_MS = 5_000;

const inGemini = (name: string) => (machine: Machine) =>
  join(machine.environment.GEMINI_CLI_HOME ?? machine.homeDir, '.gemini', name);

const hook = (event: string, more: { matcher?: string; asks?: 'only' } = {}) =>
  eventHook('gemini-cli', inGemini('settings.json'), { event, timeout: HOOK_TIMEOUT_MS, ...more });

/** Gemini CLI: `settings.json` with hooks, and instructions in `GEMINI.md`. */
export const geminiCli = addressClient({
  name: 'gemini-cli',
  title: 'Gemini CLI',
  path: inGemini('settings.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'http', url }),
  recall: [
    hook('SessionStart', { matcher: 'startup' }),
    hook('BeforeAgent'),
    recallLines(inGemini('GEMINI.md'), { hasHooks: true }),
  ],
  capture: [hook('PreCompress'), hook('SessionEnd'), hook('AfterAgent', { asks: 'only' })],
  next: 'Start Gemini CLI in a folder you trust; /mcp lists helmdeck.',
});
