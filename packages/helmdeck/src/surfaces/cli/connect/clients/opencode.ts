import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import type { Client } from '../client.ts';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

/** opencode, and Kilo, which is built on it: a settings file with or without comments, and instructions in `AGENTS.md`. */
function opencodeLike(name: string, title: string, folder: string): Client {
  const inFolder =
    (file: string) =>
    ({ environment, homeDir }: Machine) =>
      join(environment.XDG_CONFIG_HOME ?? join(homeDir, '.config'), folder, file);
  return addressClient({
    name,
    title,
    path(machine) {
      const withComments = inFolder(`${folder}.jsonc`)(machine);
      return existsSync(withComments) ? withComments : inFolder(`${folder}.json`)(machine);
    },
    servers: ['mcp'],
    fields: (url) => ({ type: 'remote', url }),
    recall: [recallLines(inFolder('AGENTS.md'))],
    next: `Restart ${title}; "${folder} mcp list" shows helmdeck.`,
  });
}

export const opencode = opencodeLike('opencode', 'opencode', 'opencode');
export const kilo = opencodeLike('kilo', 'Kilo', 'kilo');
