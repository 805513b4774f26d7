import { join } from 'node:path';
import { addressClient } from './json-client.ts';

export const mcporter = addressClient({
  name: 'mcporter',
  title: 'mcporter',
  path: ({ environment, homeDir }) =>
    environment.MCPORTER_CONFIG ?? join(homeDir, '.mcporter', 'mcporter.json'),
  servers: ['mcpServers'],
  fields: (baseUrl) => ({ baseUrl }),
  recall: [],
  insteadOfRecall: 'mcporter holds no conversations; the agent that calls it needs the recipe.',
  next: 'Run "mcporter list helmdeck".',
});
