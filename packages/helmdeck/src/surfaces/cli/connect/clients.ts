import { AppError } from '../../../errors.ts';
import { closestName } from '../../closest-name.ts';
import type { Client } from './client.ts';
import { claudeCode } from './clients/claude-code.ts';
import { claudeDesktop } from './clients/claude-desktop.ts';
import { codex } from './clients/codex.ts';
import { cursor } from './clients/cursor.ts';
import { geminiCli } from './clients/gemini-cli.ts';
import { mcporter } from './clients/mcporter.ts';
import { openclaw } from './clients/openclaw.ts';
import { vscode } from './clients/vscode.ts';

/** Every program that "helmdeck connect" knows. */
export const CLIENTS: readonly Client[] = [
  claudeCode,
  claudeDesktop,
  geminiCli,
  openclaw,
  mcporter,
  cursor,
  vscode,
  codex,
];

/** How far a mistyped name may be from the one that was meant. */
const MOST_EDITS = 4;

/** The program of this name, or a sentence that names those there are. */
export function findClient(name: string): Client {
  const found = CLIENTS.find((client) => client.name === name.toLowerCase());
  if (found) return found;
  const names = CLIENTS.map((client) => client.name);
  const meant = closestName(name.toLowerCase(), names, MOST_EDITS);
  throw new AppError(
    'invalid_input',
    `There is no recipe for "${name}".${meant ? ` Did you mean ${meant}?` : ''}`,
    {
      reason: 'unknown_client',
      hint: `There are recipes for ${names.join(', ')}. For others see docs/howto/connect-an-agent.md.`,
    },
  );
}
