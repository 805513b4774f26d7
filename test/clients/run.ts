import { parseArgs } from 'node:util';
import { summary } from './checks.ts';
import { claudeCode, claudeCodeStart } from './claude-code.ts';
import { geminiCli, geminiCliRestart, geminiCliStart } from './gemini-cli.ts';
import { mcporter } from './mcporter.ts';
import { OPENCLAW_VERSIONS, openclaw } from './openclaw.ts';
import { openclawEmbeddings } from './openclaw-embeddings.ts';
import { openclawPrompt } from './openclaw-prompt.ts';

// Runs published MCP clients against a real server, without a model or an account, on loopback only.
// `npm run test:clients -- openclaw@2026.9.6` runs the ones whose name starts with the argument.

const CLIENTS: readonly { name: string; run(): Promise<void> }[] = [
  { name: 'claude-code@2.1.325', run: () => claudeCode('2.1.325') },
  { name: 'gemini-cli@0.61.0', run: () => geminiCli('0.61.0') },
  { name: 'claude-code-start@2.1.325', run: () => claudeCodeStart('2.1.325') },
  { name: 'gemini-cli-start@0.61.0', run: () => geminiCliStart('0.61.0') },
  { name: 'gemini-cli-restart@0.61.0', run: () => geminiCliRestart('0.61.0') },
  { name: 'mcporter@0.12.3', run: () => mcporter('0.12.3') },
  ...OPENCLAW_VERSIONS.map((about) => ({ name: `openclaw@${about.version}`, run: () => openclaw(about) })),
  ...OPENCLAW_VERSIONS.map((about) => ({
    name: `openclaw-prompt@${about.version}`,
    run: () => openclawPrompt(about),
  })),
  { name: 'openclaw-embeddings@2026.9.6', run: () => openclawEmbeddings('2026.9.6') },
];

process.once('SIGINT', () => process.exit(130));
const { positionals } = parseArgs({ allowPositionals: true });
for (const { name, run } of CLIENTS) {
  if (positionals.length > 0 && !positionals.some((wanted) => name.startsWith(wanted))) continue;
  console.log(name);
  await run();
}
process.exitCode = summary();
