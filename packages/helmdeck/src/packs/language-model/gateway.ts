import { AppError } from '../../errors.ts';

/** A language model behind an OpenAI-compatible endpoint. */
export interface Gateway {
  readonly defaultModel: string | undefined;
  complete(request: Completion): Promise<{ text: string; model: string }>;
}

export interface Completion {
  model?: string;
  system: string;
  user: string;
  maxTokens: number;
  signal: AbortSignal;
}

export interface GatewayOptions {
  /** Including `/v1`. Configured by the operator; not guarded, so that a model on an internal network works. */
  baseUrl: string;
  apiKey?: string;
  defaultModel?: string;
  userAgent: string;
}

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 50_000;

export function createGateway({ baseUrl, apiKey, defaultModel, userAgent }: GatewayOptions): Gateway {
  return {
    defaultModel,
    async complete({ model = defaultModel, system, user, maxTokens, signal }) {
      if (model === undefined) {
        throw new AppError('invalid_input', 'model is required: this server has no default model.', {
          reason: 'missing_model',
          hint: 'Pass model, or set HELMDECK_GATEWAY_MODEL on the server.',
        });
      }
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ];
      const response = await send(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, messages, max_tokens: maxTokens }),
        redirect: 'error', // the key is meant for this address only
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (!response.ok) throw errorForStatus(response);
      return { text: contentOf(await readJson(response)), model };
    },
  };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (thrown) {
    throw toGatewayError(thrown);
  }
}

/** Maps an HTTP status of the gateway to an error. Its text is omitted: it may repeat the prompt or the key. */
function errorForStatus({ status, headers }: Response): AppError {
  if (status === 401 || status === 403)
    return new AppError('credential_invalid', 'The language model gateway rejects the API key.', {
      reason: 'gateway_key',
      hint: 'Correct HELMDECK_GATEWAY_API_KEY on the server.',
    });
  if (status === 429) {
    const after = Number(headers.get('retry-after'));
    return new AppError('rate_limited', 'The language model gateway has rate-limited these requests.', {
      reason: 'gateway_rate_limit',
      retryAfterSeconds: after > 0 ? Math.ceil(after) : 30,
    });
  }
  if (status === 400 || status === 404)
    return new AppError('invalid_input', 'The gateway rejected the model name or the request parameters.', {
      reason: 'gateway_refused',
      hint: 'Check the name of the model.',
    });
  return new AppError('handler_failed', `The language model gateway responded with status ${status}.`, {
    reason: 'gateway_down',
  });
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) throw unusableResponse();
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw thrown instanceof SyntaxError ? unusableResponse() : toGatewayError(thrown);
  }
}

function contentOf(json: unknown): string {
  const { choices } = (json ?? {}) as { choices?: { message?: { content?: unknown } }[] };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof content !== 'string' || content.trim() === '') throw unusableResponse();
  return content;
}

const unusableResponse = () =>
  new AppError('handler_failed', 'The response of the language model gateway is not usable.', {
    reason: 'gateway_answer',
  });

function toGatewayError(thrown: unknown): AppError {
  const { name } = thrown as Error;
  if (name === 'TimeoutError' || name === 'AbortError')
    return new AppError('timeout', 'The language model gateway took too long.', {
      reason: 'gateway_timeout',
      cause: thrown,
    });
  return new AppError('handler_failed', 'The language model gateway cannot be reached.', {
    reason: 'gateway_down',
    hint: 'Check HELMDECK_GATEWAY_URL on the server.',
    cause: thrown,
  });
}
