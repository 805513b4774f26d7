// @ts-check
/** @import { AgentRef } from './plugin-api.js' */
/** @import { Settings } from './settings.js' */

/**
 * A client of a Helmdeck server that sends requests as one agent. Every failure is thrown, with a message that contains
 * no token.
 * @typedef {{
 *   settings(): Settings,
 *   callTool<Result>(agentRef: AgentRef, tool: string, input: Record<string, unknown>): Promise<Result>,
 *   startNotes(agentRef: AgentRef, maxBytes: number, timeoutMs: number): Promise<StartNotes>,
 *   promptNotes(agentRef: AgentRef, body: PromptNotesBody, timeoutMs: number): Promise<{ text?: string, told?: string[] }>,
 *   harvest(agentRef: AgentRef, body: HarvestBody, timeoutMs: number): Promise<unknown>,
 * }} Helmdeck
 *
 * @typedef {{ text: string, keys: string[] }} StartNotes
 * @typedef {{ prompt: string, session_id?: string, told?: string[] }} PromptNotesBody
 * @typedef {{ turns: { role: 'user' | 'assistant', text: string }[], session_id?: string }} HarvestBody
 * @typedef {{ error?: string, message?: string, hint?: string }} ErrorEnvelope
 * @typedef {{ isError?: boolean, content?: { text?: string }[], structuredContent?: unknown }} ToolResult
 */

/** An error response of the server, with its error code. */
export class HelmdeckError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const NOT_HELMDECK = 'The server at this address is not Helmdeck.';
const CORPUS_PATH = '/api/v1/mcp/qmd';
const PROTOCOL = '2026-07-28';
// Only for the server's log: the history of a fact shows the client name of the token.
const META = Object.freeze({
  'io.modelcontextprotocol/protocolVersion': PROTOCOL,
  'io.modelcontextprotocol/clientInfo': { name: 'openclaw-helmdeck-memory', version: '0.1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

/**
 * Works on the spaces of the settings. If one of them is gone or no longer granted, on the agent's own memory alone: a
 * revoked grant must not take that away.
 * @template Result
 * @param {Settings} settings
 * @param {(spaces: string | undefined) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function inSpaces({ spaces }, work) {
  if (spaces === undefined) return work(undefined);
  return work(spaces).catch((thrown) => {
    if (thrown instanceof HelmdeckError && thrown.code === 'unknown_space') return work(undefined);
    throw thrown;
  });
}

/**
 * @param {() => Settings} settings
 * @returns {Helmdeck}
 */
export function createHelmdeck(settings) {
  return {
    settings,
    async callTool(agentRef, tool, input) {
      const params = { name: tool, arguments: input, _meta: META };
      /** @type {{ result?: ToolResult }} */
      const { result } = await request(settings(), agentRef, CORPUS_PATH, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': PROTOCOL,
          'mcp-method': 'tools/call',
          'mcp-name': tool,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      if (result?.isError) throw toolError(result.content?.[0]?.text ?? '');
      if (result?.structuredContent === undefined) throw new Error(NOT_HELMDECK);
      return /** @type {never} */ (result.structuredContent); // the caller knows the tool's output type
    },
    async startNotes(agentRef, maxBytes, timeoutMs) {
      const own = { ...settings(), timeoutMs };
      /** @type {Partial<StartNotes>} */
      const { text, keys } = await inSpaces(own, (spaces) => {
        const named = spaces === undefined ? '' : `&spaces=${encodeURIComponent(spaces)}`;
        return request(own, agentRef, `/api/v1/memory/start-notes?max_bytes=${maxBytes}${named}`, {});
      });
      if (text === undefined || keys === undefined) throw new Error(NOT_HELMDECK);
      return { text, keys };
    },
    promptNotes(agentRef, body, timeoutMs) {
      const own = { ...settings(), timeoutMs };
      return inSpaces(own, (spaces) =>
        post(own, agentRef, '/api/v1/memory/prompt-notes', { ...body, ...(spaces && { spaces }) }),
      );
    },
    harvest: (agentRef, body, timeoutMs) =>
      post({ ...settings(), timeoutMs }, agentRef, '/api/v1/memory/harvest', body),
  };
}

/**
 * @template Body
 * @param {Settings} settings
 * @param {AgentRef} agentRef
 * @param {string} path
 * @param {object} body
 * @returns {Promise<Body>}
 */
function post(settings, agentRef, path, body) {
  const headers = { 'content-type': 'application/json' };
  return request(settings, agentRef, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/**
 * @template Body
 * @param {Settings} settings
 * @param {AgentRef} agentRef
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} request
 * @returns {Promise<Body>}
 */
async function request({ baseUrl, tokenFor, timeoutMs }, agentRef, path, request) {
  const headers = {
    accept: 'application/json, text/event-stream',
    ...request.headers,
    authorization: `Bearer ${tokenFor(agentRef)}`,
  };
  // Following a redirect would send the token to an address that is not configured.
  const init = {
    ...request,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    redirect: /** @type {const} */ ('error'),
  };
  const { response, text } = await send(baseUrl + path, init)
    // A keep-alive connection may have been closed by the server; requests are idempotent, so retry once.
    .catch(() => send(baseUrl + path, init))
    .catch((thrown) => {
      throw new Error(unreachable(new URL(baseUrl).origin, thrown, timeoutMs));
    });
  if (!response.ok) throw errorOf(parsed(text), response.status);
  /** @type {Body | undefined} */
  const body = parsed(text);
  if (body === undefined) throw new Error(NOT_HELMDECK);
  return body;
}

/**
 * @param {string} url
 * @param {RequestInit} request
 */
async function send(url, request) {
  const response = await fetch(url, request);
  return { response, text: await response.text() };
}

/**
 * @param {string} origin
 * @param {unknown} thrown
 * @param {number} timeoutMs
 */
function unreachable(origin, thrown, timeoutMs) {
  const { name, cause } = /** @type {{ name?: string, cause?: { code?: string } }} */ (thrown);
  if (name === 'TimeoutError') return `Helmdeck at ${origin} did not answer within ${timeoutMs} ms.`;
  return `Helmdeck at ${origin} cannot be reached${cause?.code ? ` (${cause.code})` : ''}.`;
}

/**
 * @param {ErrorEnvelope | undefined} envelope if the server sent one
 * @param {number} [status]
 */
function errorOf(envelope, status) {
  const { error = `status ${status ?? 'unknown'}`, message = '', hint = '' } = envelope ?? {};
  return new HelmdeckError(
    error,
    ['Helmdeck refused', `(${error}):`, message, hint].filter(Boolean).join(' ').trim(),
  );
}

/**
 * A failed tool call is one line: `code: message hint`.
 * @param {string} line
 */
function toolError(line) {
  const [, error, message] = /^([a-z_]+): (.*)$/.exec(line) ?? [];
  return errorOf({ error, message });
}

/**
 * @template Value
 * @param {unknown} text
 * @returns {Value | undefined}
 */
function parsed(text) {
  try {
    const value = JSON.parse(String(text));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
