// @ts-check
// The part of OpenClaw's plugin API that this plugin uses. It does not import OpenClaw's types, because it
// runs on versions whose types differ.

/**
 * @typedef {{ url?: unknown, enabled?: unknown, headers?: Record<string, unknown>, env?: Record<string, unknown> }} McpServer
 * @typedef {{
 *   mcp?: { servers?: Record<string, McpServer> },
 *   plugins?: { entries?: Record<string, { config?: PluginConfig, hooks?: { allowConversationAccess?: boolean } }> },
 * }} OpenClawConfig
 *
 * @typedef {{
 *   server?: string,
 *   url?: string,
 *   token?: string,
 *   agents?: Record<string, { token: string }>,
 *   spaces?: string,
 *   autoRecall?: boolean,
 *   autoCapture?: boolean,
 *   timeoutMs?: number,
 * }} PluginConfig
 *
 * The agent that makes a request. Versions up to 2026.7 pass only the session key.
 * @typedef {{ agentId?: string, agentSessionKey?: string }} AgentRef
 *
 * Versions up to 2026.7 also pass the corpus.
 * @typedef {AgentRef & { query: string, maxResults?: number, corpus?: string }} SearchParams
 * @typedef {AgentRef & { lookup: string, fromLine?: number, lineCount?: number }} GetParams
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
 * @typedef {AgentRef & { availableTools: ReadonlySet<string> }} PromptParams
 * @typedef {{ toolName: string, params: Record<string, unknown> }} ToolCall
 *
 * The part of commander's Command that is used.
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
 *   registerMemoryPromptPreparation?(prepare: (params: AgentRef) => Promise<string[]>): void,
 *   registerCli(
 *     register: (context: { program: Command }) => void,
 *     about: { descriptors: { name: string, description: string, hasSubcommands: boolean }[] },
 *   ): void,
 *   on: OnToolCall & OnPromptBuild & OnAgentEnd,
 * }} PluginApi
 *
 * @typedef {(
 *   hook: 'before_tool_call',
 *   handler: (call: ToolCall) => { params: Record<string, unknown> } | undefined,
 *   options: { matcher: string[] },
 * ) => void} OnToolCall
 * @typedef {(
 *   hook: 'before_prompt_build',
 *   handler: (event: PromptBuild, context: HookContext) => Promise<PromptAdditions | undefined>,
 * ) => void} OnPromptBuild
 * @typedef {(
 *   hook: 'agent_end',
 *   handler: (event: AgentEnd, context: HookContext) => Promise<void>,
 * ) => void} OnAgentEnd
 *
 * @typedef {{ agentId?: string, sessionKey?: string, sessionId?: string }} HookContext
 * `currentUserMessage` is the message alone; versions up to 2026.7 have only the prompt.
 * @typedef {{ prompt?: string, currentUserMessage?: string }} PromptBuild
 * @typedef {{ appendSystemContext?: string, prependContext?: string }} PromptAdditions
 * @typedef {{ messages: unknown[] }} AgentEnd
 */

export {};
