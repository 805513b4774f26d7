import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { type Client, SERVER_NAME } from '../client.ts';
import { eventHook } from '../event-hook.ts';
import { readString, removePath, setString } from '../formats/toml-text.ts';
import { recallLines } from '../recall-lines.ts';

const AT = ['mcp_servers', SERVER_NAME];
const HEADER = [...AT, 'http_headers', 'Authorization'];
/** Fields of stdio servers and other ways to pass a token: Codex rejects an entry that has both kinds. */
const CONFLICTING_FIELDS = ['command', 'args', 'env', 'bearer_token_env_var', 'env_http_headers'];

const inCodex = (name: string) => (machine: Machine) =>
  join(machine.environment.CODEX_HOME ?? join(machine.homeDir, '.codex'), name);

const HOOK_TIMEOUT_SECONDS = 5;

const hook = (event: string, more: { matcher?: string; asks?: true } = {}) =>
  eventHook('codex', inCodex('hooks.json'), { event, timeout: HOOK_TIMEOUT_SECONDS, ...more });

/** Codex: `config.toml`, hooks in `hooks.json`, and instructions in `AGENTS.md`. */
export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  path: inCodex('config.toml'),
  connect(text, { address, token }) {
    const cleaned = CONFLICTING_FIELDS.reduce((left, field) => removePath(left, [...AT, field]), text);
    const withUrl = setString(cleaned, [...AT, 'url'], address);
    return token === undefined ? removePath(withUrl, HEADER) : setString(withUrl, HEADER, `Bearer ${token}`);
  },
  disconnect: (text) => removePath(text, AT),
  current(text) {
    const address = readString(text, [...AT, 'url']);
    const token = /^Bearer (\S+)$/.exec(readString(text, HEADER) ?? '')?.[1];
    return address === undefined ? undefined : { address, token };
  },
  recall: [
    hook('SessionStart', { matcher: 'startup|clear|compact' }),
    hook('UserPromptSubmit'),
    recallLines(inCodex('AGENTS.md'), { hasHooks: true }),
  ],
  // Codex does not say when a conversation ends.
  capture: [hook('PreCompact'), hook('Stop', { asks: true })],
  next: 'Restart Codex and approve the hooks if it asks; /mcp lists helmdeck.',
};
