import { join } from 'node:path';
import { claudeProgram, QUIET } from './claude-code.ts';
import { createClientHome } from './client-home.ts';
import type { Agent } from './conversation.ts';
import type { FakeModel } from './fake-model.ts';
import { createGeminiHome, geminiProgram } from './gemini-cli.ts';
import { installedClient } from './installed-client.ts';
import { createOpenClawHome, modelSettings, type OpenClawHome } from './openclaw-home.ts';

// Published agents, and how each is told to use a model at another address and not to ask for permission.

const GEMINI = '0.61.0';
const CLAUDE = '2.1.325';
const OPENCLAW = '2026.9.6';
/** Installations by their home folder: the gateway is started once Helmdeck is connected. */
const openClaws = new Map<string, OpenClawHome>();

/** A person approves hooks once, in the program; without one there is only the flag. */
export const CODEX_FLAGS = [
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
];

const clineProgram = () => join(installedClient('cline', '3.0.65'), 'bin/cline');

/** The settings of opencode and of what is built on it. */
const openCodeSettings = ({ url }: FakeModel) =>
  JSON.stringify({
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: 'none' },
        models: { fake: { name: 'fake', tool_call: true } },
      },
    },
    model: 'fake/fake',
    small_model: 'fake/fake',
    autoupdate: false,
    share: 'disabled',
    permission: { '*': 'allow' },
  });

export const AGENTS: readonly Agent[] = [
  {
    name: 'claude-code',
    version: CLAUDE,
    program: () => claudeProgram(CLAUDE),
    home: ({ url }) => createClientHome({ ...QUIET, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    say: (message) => ['-p', message, '--allowedTools', 'mcp__helmdeck'],
  },
  {
    name: 'gemini-cli',
    version: GEMINI,
    program: () => geminiProgram(GEMINI),
    home: ({ url }) => createGeminiHome(url),
    say: (message) => ['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', message],
  },
  {
    name: 'codex',
    version: '0.169.0',
    program: () => join(installedClient('@openai/codex', '0.169.0'), 'bin/codex.js'),
    home({ url }) {
      const home = createClientHome({ FAKE_KEY: 'none' });
      home.write(
        '.codex/config.toml',
        `model = "gpt-5"\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n`,
      );
      return home;
    },
    say: (message) => ['exec', ...CODEX_FLAGS, message],
  },
  {
    name: 'copilot-cli',
    version: '1.0.102',
    program: () => join(installedClient('@github/copilot', '1.0.102'), 'npm-loader.js'),
    home: ({ url }) =>
      createClientHome({
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'none',
        COPILOT_MODEL: 'fake',
        COPILOT_AUTO_UPDATE: 'false',
      }),
    say: (message) => ['-p', message, '--allow-all-tools', '--no-color'],
  },
  {
    name: 'opencode',
    version: '1.18.33',
    program: () => join(installedClient('opencode-ai', '1.18.33'), '../opencode-linux-x64/bin/opencode'),
    home(model) {
      const home = createClientHome();
      home.write('.config/opencode/opencode.json', openCodeSettings(model));
      return home;
    },
    say: (message) => ['run', message],
  },
  {
    name: 'kilo',
    version: '7.7.7',
    program: () => join(installedClient('@kilocode/cli', '7.7.7'), '../cli-linux-x64/bin/kilo'),
    home(model) {
      const home = createClientHome();
      home.write('.config/kilo/kilo.json', openCodeSettings(model));
      return home;
    },
    say: (message) => ['run', message],
  },
  {
    name: 'qwen-code',
    version: '0.24.4',
    program: () => join(installedClient('@qwen-code/qwen-code', '0.24.4'), 'cli-entry.js'),
    home: ({ url }) =>
      createClientHome({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'fake' }),
    say: (message) => ['--auth-type', 'openai', '--approval-mode', 'yolo', '-p', message],
  },
  {
    name: 'cline',
    version: '3.0.65',
    program: clineProgram,
    home: () => createClientHome(),
    async prepare(home, { url }) {
      await home.run(clineProgram(), [
        ...['auth', '-p', 'openai-compatible', '-k', 'none', '-m', 'fake', '-b', `${url}/v1`],
      ]);
    },
    say: (message) => ['--json', '-P', 'openai-compatible', '-m', 'fake', message],
  },
  {
    name: 'continue',
    version: '1.5.47',
    program: () => join(installedClient('@continuedev/cli', '1.5.47'), 'dist/cn.js'),
    home({ url }) {
      const home = createClientHome();
      home.write(
        '.continue/config.yaml',
        `name: test\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: fake\n    provider: openai\n    model: gpt-4o\n    apiBase: ${url}/v1\n    apiKey: none\n    roles: [chat]\n    capabilities: [tool_use]\n`,
      );
      return home;
    },
    say: (message) => ['-p', '--auto', message],
  },
  {
    name: 'nanocoder',
    version: '1.30.0',
    program: () => join(installedClient('@nanocollective/nanocoder', '1.30.0'), 'dist/cli.js'),
    home({ url }) {
      const home = createClientHome();
      const provider = { name: 'fake', baseUrl: `${url}/v1`, apiKey: 'none', models: ['fake'] };
      home.write('project/agents.config.json', JSON.stringify({ nanocoder: { providers: [provider] } }));
      return home;
    },
    connect(home, address, token) {
      const headers = { Authorization: `Bearer ${token}` };
      const helmdeck = { transport: 'http', url: address, headers, alwaysAllow: ['*'] };
      home.write('project/.mcp.json', JSON.stringify({ mcpServers: { helmdeck } }));
    },
    say: (message) => ['--trust-directory', '--plain', '--mode', 'yolo', 'run', message],
  },
  {
    name: 'openclaw',
    version: OPENCLAW,
    program: () => join(installedClient('openclaw', OPENCLAW), 'openclaw.mjs'),
    async home(model) {
      const openclaw = await createOpenClawHome(OPENCLAW, modelSettings(model));
      openClaws.set(openclaw.home.dir, openclaw);
      return openclaw.home;
    },
    prepare: async (home) => openClaws.get(home.dir)!.startGateway(),
    through: (tool, input) => ({ tool: 'tool_call', input: { id: `helmdeck__${tool}`, args: input } }),
    say: (message) => ['agent', '--agent', 'main', '--session-id', 'talk', '--message', message],
  },
];
