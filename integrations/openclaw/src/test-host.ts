import { Command } from 'commander';
import plugin from '../index.js';
import type {
  OnPromptBuild,
  OpenClawConfig,
  PluginApi,
  PluginConfig,
  PromptParams,
  ToolCall,
} from './plugin-api.js';

type PromptHook = Parameters<OnPromptBuild>[1];
type Supplement = Parameters<PluginApi['registerMemoryCorpusSupplement']>[0];

/** Calls what the plugin registered, as OpenClaw does. */
export interface TestHost extends Supplement {
  /** OpenClaw's current configuration; the plugin must not cache an older one. */
  config: OpenClawConfig;
  hook(call: ToolCall): { params: Record<string, unknown> } | undefined;
  lines(params: PromptParams): string[];
  /** Absent in versions that have only hooks. */
  recalled(params: PromptParams): Promise<string[]>;
  promptHook(event: object, run: { agentId?: string; sessionKey?: string }): ReturnType<PromptHook>;
  /** Every hook, by name, in the order they were registered. */
  hooks: Record<string, ((event: object, context: object) => Promise<unknown>)[]>;
  cli(...args: string[]): Promise<{ out: string; err: string; code: number }>;
}

export const configOf = (
  server: Record<string, unknown> | undefined,
  own?: PluginConfig | undefined,
): OpenClawConfig => ({
  mcp: { servers: server ? { helmdeck: server } : {} },
  plugins: { entries: own ? { [plugin.id]: { config: own } } : {} },
});

/** The address and the token as `openclaw mcp add` saves them. */
export const mcpServer = (url: string, token: string) => ({
  url: `${url}/api/v1/mcp`,
  transport: 'streamable-http',
  headers: { Authorization: `Bearer ${token}` },
});

export function loadPlugin(config: OpenClawConfig, version: 'current' | '2026.7' = 'current'): TestHost {
  const found: Record<string, unknown> = {};
  const hooks: TestHost['hooks'] = {};
  const program = new Command().exitOverride();
  const host = { config, cli: (...args: string[]) => runCli(program, args) } as TestHost;
  plugin.register({
    config,
    runtime: { config: { current: () => host.config } },
    registerMemoryCorpusSupplement: (supplement) => Object.assign(found, supplement),
    registerMemoryPromptSupplement: (lines) => Object.assign(found, { lines }),
    ...(version === 'current'
      ? { registerMemoryPromptPreparation: (recalled: unknown) => Object.assign(found, { recalled }) }
      : {}),
    registerCli: (register) => register({ program: program as never }),
    on: (name: string, hook: unknown) => {
      hooks[name] = [...(hooks[name] ?? []), hook as never];
      if (name === 'before_prompt_build') found.promptHook ??= hook;
      if (name === 'before_tool_call') found.hook = hook;
    },
  });
  return Object.assign(host, found, { hooks });
}

async function runCli(program: Command, args: string[]) {
  const output = { out: '', err: '', code: 0 };
  const { write } = process.stdout;
  const { error } = console;
  process.stdout.write = ((text: string) => {
    output.out += text;
    return true;
  }) as typeof write;
  console.error = (text: string) => {
    output.err += text;
  };
  try {
    await program.parseAsync(['helmdeck', ...args], { from: 'user' });
    output.code = Number(process.exitCode ?? 0);
  } finally {
    process.stdout.write = write;
    console.error = error;
    process.exitCode = 0;
  }
  return output;
}
