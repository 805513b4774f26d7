import { join } from 'node:path';
import { addressClient } from './json-client.ts';

export const openclaw = addressClient({
  name: 'openclaw',
  title: 'OpenClaw',
  path: ({ environment, homeDir }) =>
    environment.OPENCLAW_CONFIG_PATH ??
    join(environment.OPENCLAW_STATE_DIR ?? join(homeDir, '.openclaw'), 'openclaw.json'),
  servers: ['mcp', 'servers'],
  fields: (url) => ({ url, transport: 'streamable-http' }),
  recall: [],
  insteadOfRecall:
    'The OpenClaw plugin does it: it adds the lines to the prompt and puts facts into memory_search. See docs/howto/openclaw.md.',
  next: 'Run "openclaw mcp probe helmdeck"; a running gateway takes it up with the next turn.',
});
