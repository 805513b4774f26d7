import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { type Client, SERVER_NAME } from '../client.ts';
import { readString, removePath, setString } from '../formats/toml-text.ts';
import { recallLines } from '../recall-lines.ts';

const AT = ['mcp_servers', SERVER_NAME];
const HEADER = [...AT, 'http_headers', 'Authorization'];
/** An entry of another kind, and other ways to give a token: Codex refuses to have both. */
const OTHERS = ['command', 'args', 'env', 'bearer_token_env_var', 'env_http_headers'];

const inCodex = (name: string) => (machine: Machine) =>
  join(machine.environment.CODEX_HOME ?? join(machine.homeDir, '.codex'), name);

export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  path: inCodex('config.toml'),
  connected(text, { address, token }) {
    const alone = OTHERS.reduce((left, field) => removePath(left, [...AT, field]), text);
    const addressed = setString(alone, [...AT, 'url'], address);
    return token === undefined
      ? removePath(addressed, HEADER)
      : setString(addressed, HEADER, `Bearer ${token}`);
  },
  disconnected: (text) => removePath(text, AT),
  held(text) {
    const address = readString(text, [...AT, 'url']);
    const token = /^Bearer (\S+)$/.exec(readString(text, HEADER) ?? '')?.[1];
    return address === undefined ? undefined : { address, token };
  },
  recall: [recallLines(inCodex('AGENTS.md'))],
  next: 'Start Codex anew; /mcp lists helmdeck.',
};
