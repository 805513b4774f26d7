// @ts-check
import { registerCommands } from './src/commands.js';
import { createConversation } from './src/conversation.js';
import { createCorpus } from './src/corpus.js';
import { createHelmdeck } from './src/helmdeck.js';
import { createPromptLines } from './src/prompt-lines.js';
import { searchEverywhere } from './src/search-everywhere.js';
import { currentSettings } from './src/settings.js';

/** @import { PluginApi } from './src/plugin-api.js' */

const plugin = {
  id: 'openclaw-helmdeck-memory',
  name: 'Helmdeck memory',
  description: "Helmdeck's facts in memory_search and memory_get, beside OpenClaw's own memory.",
  /**
   * OpenClaw calls this several times, also just to list the commands, so it must only register.
   * @param {PluginApi} api
   */
  register(api) {
    const helmdeck = createHelmdeck(() => currentSettings(api, plugin.id));
    const { lines, recalled, appended } = createPromptLines(helmdeck);
    api.registerMemoryCorpusSupplement(createCorpus(helmdeck));
    api.on('before_tool_call', searchEverywhere, { matcher: ['memory_search', 'memory_get'] });
    api.registerMemoryPromptSupplement(lines);
    const { beforePrompt, afterRun } = createConversation(helmdeck);
    if (api.registerMemoryPromptPreparation) api.registerMemoryPromptPreparation(recalled);
    // Versions up to 2026.7 have only hooks.
    else
      api.on('before_prompt_build', (_, { agentId, sessionKey }) =>
        appended({ agentId, agentSessionKey: sessionKey }),
      );
    // Without this permission OpenClaw does not call them, and complains that they are there.
    if (api.config.plugins?.entries?.[plugin.id]?.hooks?.allowConversationAccess === true) {
      api.on('before_prompt_build', beforePrompt);
      api.on('agent_end', afterRun);
    }
    registerCommands(api, helmdeck);
  },
};

// biome-ignore lint/style/noDefaultExport: OpenClaw reads the default export
export default plugin;
