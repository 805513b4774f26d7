import type { FileSample, ForeignFormat } from '../candidate.ts';
import { agentsMd } from './agents-md.ts';
import { basicMemory } from './basic-memory.ts';
import { chatgptExport } from './chatgpt-export.ts';
import { claudeCode } from './claude-code.ts';
import { claudeExport } from './claude-export.ts';
import { helmdeckMarkdown } from './helmdeck-markdown.ts';
import { letta } from './letta.ts';
import { mem0 } from './mem0.ts';
import { openclaw } from './openclaw.ts';
import { pam } from './pam.ts';
import { serverMemory } from './server-memory.ts';

/** The order in which formats are tried: those that a file says itself first, any Markdown note last. */
export const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  pam,
  helmdeckMarkdown,
  claudeExport,
  chatgptExport,
  serverMemory,
  mem0,
  letta,
  claudeCode,
  agentsMd,
  openclaw,
  basicMemory,
];

/** Every name that `format` may have. `helmdeck` is our own export, which has a way in of its own. */
export const FORMAT_NAMES = ['auto', 'helmdeck', ...FOREIGN_FORMATS.map(({ name }) => name)];

export function formatOf(sample: FileSample): ForeignFormat | undefined {
  return FOREIGN_FORMATS.find((format) => format.detect(sample));
}

/** Whether a file is an export of this server: JSON Lines with a key and a value. */
export function isOwnExport(head: string): boolean {
  const line = head.trimStart().split('\n', 1)[0]!;
  return /^\{/.test(line) && /"key"\s*:\s*"/.test(line) && /"value"\s*:\s*"/.test(line);
}
