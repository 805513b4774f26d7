// @ts-check
// What OpenClaw hands to a plugin, as far as this one uses it. The package has no types of OpenClaw:
// it runs on versions whose types differ.

/**
 * @typedef {{ url?: unknown, enabled?: unknown, headers?: Record<string, unknown>, env?: Record<string, unknown> }} McpServer
 * @typedef {{
 *   mcp?: { servers?: Record<string, McpServer> },
 *   plugins?: { entries?: Record<string, { config?: PluginConfig }> },
 * }} OpenClawConfig
 *
 * @typedef {{
 *   server?: string,
 *   url?: string,
 *   token?: string,
 *   agents?: Record<string, { token: string }>,
 *   autoRecall?: boolean,
 *   timeoutMs?: number,
 * }} PluginConfig
 *
 * Which agent asks. Versions up to 2026.7 tell the session only.
 * @typedef {{ agentId?: string, agentSessionKey?: string }} Asker
 *
 * Versions up to 2026.7 also tell the corpus.
 * @typedef {Asker & { query: string, maxResults?: number, corpus?: string }} SearchParams
 * @typedef {Asker & { lookup: string, fromLine?: number, lineCount?: number }} GetParams
 *
 * @typedef {{
 *   corpus: string, path: string, title: string, kind: string, score: number, snippet: string,
 *   id?: string, startLine?: number, endLine?: number, citation?: string, source?: string,
 *   provenanceLabel?: string,
 * }} CorpusHit
 * @typedef {{
 *   corpus: string, path: string, title: string, kind: string, content: string,
 *   fromLine: number, lineCount: number, id: string,
 * }} CorpusText
 *
 * @typedef {Asker & { availableTools: ReadonlySet<string> }} PromptParams
 * @typedef {{ toolName: string, params: Record<string, unknown> }} ToolCall
 *
 * Commander's command, as far as it is used.
 * @typedef {{
 *   command(name: string): Command,
 *   description(text: string): Command,
 *   argument(name: string, text: string): Command,
 *   option(flags: string, text: string): Command,
 *   action<Given extends unknown[]>(work: (...given: Given) => Promise<void>): Command,
 * }} Command
 *
 * @typedef {{
 *   config: OpenClawConfig,
 *   pluginConfig?: PluginConfig,
 *   runtime?: { config?: { current?(): OpenClawConfig } },
 *   registerMemoryCorpusSupplement(supplement: {
 *     search(params: SearchParams): Promise<CorpusHit[]>,
 *     get(params: GetParams): Promise<CorpusText | null>,
 *   }): void,
 *   registerMemoryPromptSupplement(build: (params: PromptParams) => string[]): void,
 *   registerMemoryPromptPreparation?(prepare: (params: Asker) => Promise<string[]>): void,
 *   registerCli(
 *     register: (context: { program: Command }) => void,
 *     about: { descriptors: { name: string, description: string, hasSubcommands: boolean }[] },
 *   ): void,
 *   on: OnToolCall & OnPromptBuild,
 * }} PluginApi
 *
 * @typedef {(
 *   hook: 'before_tool_call',
 *   handler: (call: ToolCall) => { params: Record<string, unknown> } | undefined,
 *   options: { matcher: string[] },
 * ) => void} OnToolCall
 * @typedef {(
 *   hook: 'before_prompt_build',
 *   handler: (event: unknown, run: { agentId?: string, sessionKey?: string }) => Promise<{ appendSystemContext: string } | undefined>,
 * ) => void} OnPromptBuild
 */

export {};
