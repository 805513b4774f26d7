// @ts-check
/** @import { Asker } from './plugin-api.js' */
/** @import { Settings } from './settings.js' */

/**
 * Asks a Helmdeck server, as the agent that asks. Every failure is thrown, as a sentence without a token in it.
 * @typedef {{
 *   settings(): Settings,
 *   callTool<Result>(asker: Asker, tool: string, input: Record<string, unknown>): Promise<Result>,
 *   newestFacts(asker: Asker, limit: number, timeoutMs: number): Promise<{ key: string, value: string }[]>,
 * }} Helmdeck
 *
 * @typedef {{ error?: string, message?: string, hint?: string }} ErrorEnvelope
 * @typedef {{ isError?: boolean, content?: { text?: string }[], structuredContent?: unknown }} ToolResult
 */

/** What the server refused, with the code of its error. */
export class HelmdeckRefusal extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const NOT_HELMDECK = 'What answers at this address is not Helmdeck.';
const CORPUS_PATH = '/api/v1/mcp/qmd';
const PROTOCOL = '2026-07-28';
// The name a fact's history shows is the token's; this one only helps whoever reads the server's log.
const META = Object.freeze({
  'io.modelcontextprotocol/protocolVersion': PROTOCOL,
  'io.modelcontextprotocol/clientInfo': { name: 'openclaw-helmdeck-memory', version: '0.1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

/**
 * @param {() => Settings} settings
 * @returns {Helmdeck}
 */
export function createHelmdeck(settings) {
  return {
    settings,
    async callTool(asker, tool, input) {
      const params = { name: tool, arguments: input, _meta: META };
      /** @type {{ result?: ToolResult }} */
      const { result } = await ask(settings(), asker, CORPUS_PATH, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'mcp-protocol-version': PROTOCOL,
          'mcp-method': 'tools/call',
          'mcp-name': tool,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      if (result?.isError) throw refusal(parsed(result.content?.[0]?.text));
      if (result?.structuredContent === undefined) throw new Error(NOT_HELMDECK);
      return /** @type {never} */ (result.structuredContent); // as the tool is documented
    },
    async newestFacts(asker, limit, timeoutMs) {
      const path = `/api/v1/memory/facts?limit=${limit}`;
      /** @type {{ facts?: { key: string, value: string }[] }} */
      const { facts } = await ask({ ...settings(), timeoutMs }, asker, path, {});
      if (facts === undefined) throw new Error(NOT_HELMDECK);
      return facts;
    },
  };
}

/**
 * @template Answer
 * @param {Settings} settings
 * @param {Asker} asker
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: string }} request
 * @returns {Promise<Answer>}
 */
async function ask({ baseUrl, tokenFor, timeoutMs }, asker, path, request) {
  const headers = {
    accept: 'application/json, text/event-stream',
    ...request.headers,
    authorization: `Bearer ${tokenFor(asker)}`,
  };
  // A redirect would carry the token to an address nobody configured.
  const all = {
    ...request,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    redirect: /** @type {const} */ ('error'),
  };
  const { response, text } = await carried(baseUrl + path, all)
    // A connection that was kept open may have been closed on the other side; a question can be asked again.
    .catch(() => carried(baseUrl + path, all))
    .catch((thrown) => {
      throw new Error(unreachable(new URL(baseUrl).origin, thrown, timeoutMs));
    });
  if (!response.ok) throw refusal(parsed(text), response.status);
  /** @type {Answer | undefined} */
  const answer = parsed(text);
  if (answer === undefined) throw new Error(NOT_HELMDECK);
  return answer;
}

/**
 * @param {string} url
 * @param {RequestInit} request
 */
async function carried(url, request) {
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
 * @param {ErrorEnvelope | undefined} envelope where the server sent one
 * @param {number} [status]
 */
function refusal(envelope, status) {
  const { error = `status ${status ?? 'unknown'}`, message = '', hint = '' } = envelope ?? {};
  return new HelmdeckRefusal(
    error,
    ['Helmdeck refused', `(${error}):`, message, hint].filter(Boolean).join(' ').trim(),
  );
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
