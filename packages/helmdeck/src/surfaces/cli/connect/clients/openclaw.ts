import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import type { Recipe } from '../client.ts';
import { type JsonPath, readAt, removeWithParents, setAt } from '../formats/json-text.ts';
import { addressClient } from './json-client.ts';

const path = ({ environment, homeDir }: Machine) =>
  environment.OPENCLAW_CONFIG_PATH ??
  join(environment.OPENCLAW_STATE_DIR ?? join(homeDir, '.openclaw'), 'openclaw.json');

const PLUGIN: JsonPath = ['plugins', 'entries', 'openclaw-helmdeck-memory'];

/** Without it OpenClaw does not call the hooks of the plugin that see prompts and conversations. */
const ACCESS: JsonPath = [...PLUGIN, 'hooks', 'allowConversationAccess'];

const SPACES: JsonPath = [...PLUGIN, 'config', 'spaces'];

/** A setting of the OpenClaw plugin, which has the hooks. Without the plugin OpenClaw rejects the setting. */
function pluginSetting(name: 'autoRecall' | 'autoCapture'): Recipe {
  const at: JsonPath = [...PLUGIN, 'config', name];
  return {
    path,
    isApplicable: (text) => readAt(text, PLUGIN) !== undefined,
    isInstalled: (text) => readAt(text, at) === true,
    install(text, _machine, { spaces } = {}) {
      const on = setAt(setAt(text, at, true), ACCESS, true);
      return name === 'autoRecall' && spaces !== undefined ? setAt(on, SPACES, spaces) : on;
    },
    remove(text, original) {
      if (readAt(text, at) === undefined) return text;
      const without = removeWithParents(text, at, original);
      const isOfRecall = name === 'autoRecall' && readAt(original, SPACES) === undefined;
      const left =
        isOfRecall && readAt(without, SPACES) !== undefined
          ? removeWithParents(without, SPACES, original)
          : without;
      const isNeeded = readAt(original, ACCESS) !== undefined || readAt(left, ACCESS) === undefined;
      return isNeeded ? left : removeWithParents(left, ACCESS, original);
    },
  };
}

/** OpenClaw: `openclaw.json`, and settings of its plugin. */
export const openclaw = addressClient({
  name: 'openclaw',
  title: 'OpenClaw',
  path,
  servers: ['mcp', 'servers'],
  fields: (url) => ({ url, transport: 'streamable-http' }),
  recall: [pluginSetting('autoRecall')],
  capture: [pluginSetting('autoCapture')],
  recallAlternative:
    'The OpenClaw plugin, which adds facts to the prompt, is not installed yet: install it and run this again, see docs/howto/openclaw.md.',
  next: 'Run "openclaw mcp probe helmdeck"; a running gateway picks it up with the next turn.',
});
