import { join } from 'node:path';
import { addressClient } from './json-client.ts';

/** mcporter: `mcporter.json`. */
export const mcporter = addressClient({
  name: 'mcporter',
  title: 'mcporter',
  path: ({ environment, homeDir }) =>
    environment.MCPORTER_CONFIG ?? join(homeDir, '.mcporter', 'mcporter.json'),
  servers: ['mcpServers'],
  fields: (baseUrl) => ({ baseUrl }),
  recall: [],
  recallAlternative: 'mcporter has no conversations; use --auto-recall for the agent that calls it.',
  next: 'Run "mcporter list helmdeck".',
});
