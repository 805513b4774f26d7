import { join } from 'node:path';
import type { Machine } from '../../deps.ts';
import { applicationDir } from '../application-dir.ts';
import { recallLines } from '../recall-lines.ts';
import { addressClient } from './json-client.ts';

const userDir = (machine: Machine) => join(applicationDir(machine), 'Code', 'User');

/** VS Code: `mcp.json` and an instructions file of the user profile. */
export const vscode = addressClient({
  name: 'vscode',
  title: 'VS Code',
  path: (machine) => join(userDir(machine), 'mcp.json'),
  servers: ['servers'],
  fields: (url) => ({ type: 'http', url }),
  recall: [
    recallLines((machine) => join(userDir(machine), 'prompts', 'helmdeck.instructions.md'), {
      heading: '---\ndescription: Long-term memory\napplyTo: "**"\n---\n',
    }),
  ],
  next: 'Run "MCP: List Servers" in VS Code and start helmdeck.',
});
