import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { recallLines } from '../recall-lines.ts';
import { sessionHook } from '../session-hook.ts';
import { addressClient } from './json-client.ts';

const HOOK_TIMEOUT_MS = 15_000;

const inGemini = (name: string) => (machine: Machine) =>
  join(machine.environment.GEMINI_CLI_HOME ?? machine.homeDir, '.gemini', name);

/** Gemini CLI: `settings.json` with a SessionStart hook, and instructions in `GEMINI.md`. */
export const geminiCli = addressClient({
  name: 'gemini-cli',
  title: 'Gemini CLI',
  path: inGemini('settings.json'),
  servers: ['mcpServers'],
  fields: (url) => ({ type: 'http', url }),
  recall: [
    sessionHook('gemini-cli', inGemini('settings.json'), { matcher: 'startup', timeout: HOOK_TIMEOUT_MS }),
    recallLines(inGemini('GEMINI.md')),
  ],
  next: 'Start Gemini CLI in a folder you trust; /mcp lists helmdeck.',
});
