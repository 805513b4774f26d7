import { parseArgs } from 'node:util';
import { summary } from './checks.ts';
import { claudeCode, claudeCodeStart } from './claude-code.ts';
import { geminiCli, geminiCliStart } from './gemini-cli.ts';
import { mcporter } from './mcporter.ts';
import { OPENCLAW_VERSIONS, openclaw } from './openclaw.ts';
import { openclawEmbeddings } from './openclaw-embeddings.ts';
import { openclawPrompt } from './openclaw-prompt.ts';

// The programs people really use, from the registry, against a real server: no model, no account, loopback only.
// `npm run test:clients -- openclaw@2026.9.6` runs the ones whose name begins so.

const CLIENTS: readonly { name: string; prove(): Promise<void> }[] = [
  { name: 'claude-code@2.1.325', prove: () => claudeCode('2.1.325') },
  { name: 'gemini-cli@0.61.0', prove: () => geminiCli('0.61.0') },
  { name: 'claude-code-start@2.1.325', prove: () => claudeCodeStart('2.1.325') },
  { name: 'gemini-cli-start@0.61.0', prove: () => geminiCliStart('0.61.0') },
  { name: 'mcporter@0.12.3', prove: () => mcporter('0.12.3') },
  ...OPENCLAW_VERSIONS.map((about) => ({ name: `openclaw@${about.version}`, prove: () => openclaw(about) })),
  ...OPENCLAW_VERSIONS.map((about) => ({
    name: `openclaw-prompt@${about.version}`,
    prove: () => openclawPrompt(about),
  })),
  { name: 'openclaw-embeddings@2026.9.6', prove: () => openclawEmbeddings('2026.9.6') },
];

process.once('SIGINT', () => process.exit(130));
const { positionals } = parseArgs({ allowPositionals: true });
for (const { name, prove } of CLIENTS) {
  if (positionals.length > 0 && !positionals.some((wanted) => name.startsWith(wanted))) continue;
  console.log(name);
  await prove();
}
process.exitCode = summary();
