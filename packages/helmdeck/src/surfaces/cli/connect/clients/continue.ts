import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { type Client, SERVER_NAME } from '../client.ts';
import { readItem, removeItem, setItem } from '../formats/yaml-list.ts';
import { recallLines } from '../recall-lines.ts';

const LIST = 'mcpServers';
/** Continue reads no configuration without these. */
const HEADING = 'name: Local Config\nversion: 1.0.0\nschema: v1\n';

const inContinue =
  (...names: string[]) =>
  ({ environment, homeDir }: Machine) =>
    join(environment.CONTINUE_GLOBAL_DIR ?? join(homeDir, '.continue'), ...names);

/** The value of a field on a line of its own; JSON strings are YAML strings. */
const fieldIn = (lines: readonly string[], name: string) =>
  lines
    .map((line) => new RegExp(`^\\s*(?:-\\s+)?${name}:\\s*(["']?)(.*?)\\1\\s*$`).exec(line)?.[2])
    .find((value) => value !== undefined);

/** Continue: the list of servers in `config.yaml`, and a rule file. */
export const continueCli: Client = {
  name: 'continue',
  title: 'Continue',
  path: inContinue('config.yaml'),
  connect(text, { address, token }) {
    const headers =
      token === undefined
        ? []
        : ['requestOptions:', '  headers:', `    Authorization: ${JSON.stringify(`Bearer ${token}`)}`];
    return setItem(text.trim() === '' ? HEADING : text, LIST, SERVER_NAME, [
      `name: ${SERVER_NAME}`,
      'type: streamable-http',
      `url: ${JSON.stringify(address)}`,
      ...headers,
    ]);
  },
  disconnect(text, original) {
    const left = removeItem(text, LIST, SERVER_NAME, original);
    return left === HEADING && original.trim() === '' ? '' : left;
  },
  current(text) {
    const lines = readItem(text, LIST, SERVER_NAME) ?? [];
    const address = fieldIn(lines, 'url');
    const token = /^Bearer (\S+)$/.exec(fieldIn(lines, 'Authorization') ?? '')?.[1];
    return address === undefined ? undefined : { address, token };
  },
  recall: [recallLines(inContinue('rules', 'helmdeck.md'))],
  next: 'Start cn; /mcp lists helmdeck. A config.yaml that was new needs your models, too.',
};
