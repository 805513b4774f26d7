import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import type { RecallRecipe } from '../client.ts';
import { type JsonPath, readAt, removeWithParents, setAt } from '../formats/json-text.ts';
import { addressClient } from './json-client.ts';

const path = ({ environment, homeDir }: Machine) =>
  environment.OPENCLAW_CONFIG_PATH ??
  join(environment.OPENCLAW_STATE_DIR ?? join(homeDir, '.openclaw'), 'openclaw.json');

const PLUGIN: JsonPath = ['plugins', 'entries', 'openclaw-helmdeck-memory'];
const SETTING: JsonPath = [...PLUGIN, 'config', 'autoRecall'];

/** A setting of the OpenClaw plugin, which adds facts to the prompt. Without the plugin OpenClaw rejects the setting. */
const pluginRecall: RecallRecipe = {
  path,
  isApplicable: (text) => readAt(text, PLUGIN) !== undefined,
  install: (text) => setAt(text, SETTING, true),
  remove: (text, original) =>
    readAt(text, SETTING) === undefined ? text : removeWithParents(text, SETTING, original),
};

/** OpenClaw: `openclaw.json`, and the autoRecall setting of its plugin. */
export const openclaw = addressClient({
  name: 'openclaw',
  title: 'OpenClaw',
  path,
  servers: ['mcp', 'servers'],
  fields: (url) => ({ url, transport: 'streamable-http' }),
  recall: [pluginRecall],
  recallAlternative:
    'The OpenClaw plugin, which adds facts to the prompt, is not installed yet: install it and run this again, see docs/howto/openclaw.md.',
  next: 'Run "openclaw mcp probe helmdeck"; a running gateway picks it up with the next turn.',
});
