import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import type { RecallRecipe } from '../client.ts';
import { type JsonPath, readAt, removeAt, setAt } from '../formats/json-text.ts';
import { addressClient } from './json-client.ts';

const path = ({ environment, homeDir }: Machine) =>
  environment.OPENCLAW_CONFIG_PATH ??
  join(environment.OPENCLAW_STATE_DIR ?? join(homeDir, '.openclaw'), 'openclaw.json');

const PLUGIN: JsonPath = ['plugins', 'entries', 'openclaw-helmdeck-memory'];
const SETTING: JsonPath = [...PLUGIN, 'config', 'autoRecall'];

/** The plugin puts what is known into the prompt; where it is not installed OpenClaw would refuse its settings. */
const pluginRecall: RecallRecipe = {
  path,
  fits: (text) => readAt(text, PLUGIN) !== undefined,
  installed: (text) => setAt(text, SETTING, true),
  removed: (text) => (readAt(text, SETTING) === undefined ? text : removeAt(text, SETTING)),
};

export const openclaw = addressClient({
  name: 'openclaw',
  title: 'OpenClaw',
  path,
  servers: ['mcp', 'servers'],
  fields: (url) => ({ url, transport: 'streamable-http' }),
  recall: [pluginRecall],
  insteadOfRecall:
    'The OpenClaw plugin puts what is known into the prompt, and is not installed yet: install it and run this again, see docs/howto/openclaw.md.',
  next: 'Run "openclaw mcp probe helmdeck"; a running gateway takes it up with the next turn.',
});
