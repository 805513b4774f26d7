import { AppError } from '../../../errors.ts';
import { closestName } from '../../closest-name.ts';
import type { Client } from './client.ts';
import { claudeCode } from './clients/claude-code.ts';
import { claudeDesktop } from './clients/claude-desktop.ts';
import { cline } from './clients/cline.ts';
import { codex } from './clients/codex.ts';
import { continueCli } from './clients/continue.ts';
import { copilotCli } from './clients/copilot-cli.ts';
import { cursor } from './clients/cursor.ts';
import { geminiCli } from './clients/gemini-cli.ts';
import { mcporter } from './clients/mcporter.ts';
import { openclaw } from './clients/openclaw.ts';
import { kilo, opencode } from './clients/opencode.ts';
import { qwenCode } from './clients/qwen-code.ts';
import { vscode } from './clients/vscode.ts';

/** All clients that `helmdeck connect` supports. */
export const CLIENTS: readonly Client[] = [
  claudeCode,
  claudeDesktop,
  geminiCli,
  openclaw,
  mcporter,
  cursor,
  vscode,
  codex,
  copilotCli,
  opencode,
  kilo,
  qwenCode,
  cline,
  continueCli,
];

/** The maximum edit distance for a suggestion. */
const MAX_EDITS = 4;

/** The client of this name; an unknown name is refused with a suggestion and the list of names. */
export function findClient(name: string): Client {
  const found = CLIENTS.find((client) => client.name === name.toLowerCase());
  if (found) return found;
  const names = CLIENTS.map((client) => client.name);
  const meant = closestName(name.toLowerCase(), names, MAX_EDITS);
  throw new AppError(
    'invalid_input',
    `"${name}" is not a supported client.${meant ? ` Did you mean ${meant}?` : ''}`,
    {
      reason: 'unknown_client',
      hint: `Supported clients: ${names.join(', ')}. For others see docs/howto/connect-an-agent.md.`,
    },
  );
}
