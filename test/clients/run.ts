import { parseArgs } from 'node:util';
import { AGENTS } from './agents.ts';
import { checkCapture } from './capture-hooks.ts';
import { summary } from './checks.ts';
import { claudeCode, claudeCodeStart } from './claude-code.ts';
import { conformance } from './conformance.ts';
import { checkConversation } from './conversation.ts';
import { geminiCli, geminiCliStart } from './gemini-cli.ts';
import { mcporter } from './mcporter.ts';
import { mem0 } from './mem0.ts';
import { claudeCodeByUrl, conformanceAuthorization, inspectorByUrl } from './oauth.ts';
import { OPENCLAW_VERSIONS, openclaw } from './openclaw.ts';
import { openclawEmbeddings } from './openclaw-embeddings.ts';
import { openclawPrompt } from './openclaw-prompt.ts';
import { claudeCodePlugin, clientIn, geminiExtension, mcpOnOldNode, tarballExports } from './packages.ts';
import { checkPromptHooks } from './prompt-hooks.ts';
import { serverMemory } from './server-memory.ts';
import { checkContextLines, checkSessionStart } from './session-start.ts';

// Runs published MCP clients against a real server, without a model or an account, on loopback only.
// `npm run test:clients -- openclaw@2026.9.6` runs the ones whose name starts with the argument.

/** Agents that load notes with a hook, and those that are told to recall by a file of instructions. */
const WITH_HOOK = ['copilot-cli', 'qwen-code'];
const WITH_PROMPT_HOOK = ['claude-code', 'codex', 'gemini-cli'];
const WITH_LINES = ['opencode', 'kilo', 'cline', 'continue'];
const startOf = (agent: (typeof AGENTS)[number]) => ({ ...agent, program: agent.program() });

const CLIENTS: readonly { name: string; run(): Promise<void> }[] = [
  { name: 'claude-code@2.1.325', run: () => claudeCode('2.1.325') },
  { name: 'gemini-cli@0.61.0', run: () => geminiCli('0.61.0') },
  { name: 'claude-code-start@2.1.325', run: () => claudeCodeStart('2.1.325') },
  { name: 'gemini-cli-start@0.61.0', run: () => geminiCliStart('0.61.0') },
  ...AGENTS.map((agent) => ({
    name: `talk-${agent.name}@${agent.version}`,
    run: () => checkConversation(agent),
  })),
  { name: 'conformance@0.2.0-alpha.12', run: () => conformance('0.2.0-alpha.12') },
  {
    name: 'oauth-conformance@0.2.0-alpha.12',
    run: () => conformanceAuthorization('0.2.0-alpha.12'),
  },
  { name: 'oauth-claude-code@2.1.325', run: () => claudeCodeByUrl('2.1.325') },
  { name: 'oauth-inspector@2.12.0', run: () => inspectorByUrl('2.12.0') },
  ...AGENTS.filter(({ name }) => WITH_HOOK.includes(name)).map((agent) => ({
    name: `${agent.name}-start@${agent.version}`,
    run: () => checkSessionStart(startOf(agent)),
  })),
  ...AGENTS.filter(({ name }) => WITH_LINES.includes(name)).map((agent) => ({
    name: `${agent.name}-start@${agent.version}`,
    run: () => checkContextLines(startOf(agent)),
  })),
  ...AGENTS.filter(({ name }) => WITH_PROMPT_HOOK.includes(name)).flatMap((agent) => [
    { name: `${agent.name}-prompts@${agent.version}`, run: () => checkPromptHooks(agent) },
    { name: `${agent.name}-capture@${agent.version}`, run: () => checkCapture(agent) },
  ]),
  { name: 'server-memory@2026.8.31', run: () => serverMemory('2026.8.31') },
  { name: 'mem0ai@3.3.1', run: () => mem0('3.3.1') },
  { name: 'claude-code-plugin@2.1.325', run: () => claudeCodePlugin('2.1.325') },
  { name: 'gemini-cli-extension@0.61.0', run: () => geminiExtension('0.61.0') },
  ...['20.20.2', '22.23.3'].map((node) => ({ name: `helmdeck-mcp@${node}`, run: () => mcpOnOldNode(node) })),
  ...['22.23.3', '24.21.0'].map((node) => ({ name: `tarball@${node}`, run: () => tarballExports(node) })),
  { name: 'deno@2.9.6', run: () => clientIn('deno', '2.9.6') },
  { name: 'bun@1.4.4', run: () => clientIn('bun', '1.4.4') },
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
