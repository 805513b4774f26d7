import type { Operations } from './generated/rest.ts';
import { errorOf, HelmdeckError } from './helmdeck-error.ts';

/** `GET /api/v1/memory/facts`, …: the method and the path of a route of the server. */
export type OperationName = keyof Operations;

export type JsonOperationName = {
  [O in OperationName]: Operations[O] extends { response: unknown } ? O : never;
}[OperationName];

/** The path parameters, query and body that an operation takes. */
export type Inputs<O extends OperationName> = Pick<
  Operations[O],
  keyof Operations[O] & ('path' | 'query' | 'body')
>;

interface AnyInputs {
  path?: Record<string, string>;
  query?: Record<string, string | number | readonly string[] | undefined>;
  body?: unknown;
}

export interface SendOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The request outlives the page; browsers only. */
  keepalive?: boolean;
}

export interface ConnectionOptions {
  /** The address of the server; '' for the origin of the page. */
  url: string;
  /** Absent: no Authorization header, as in a page that has a session cookie. */
  token?: string | (() => string | Promise<string>);
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
  /** How often a request that failed for a moment is sent again; 2 by default. */
  maxRetries?: number;
}

/** Calls operations of one server. */
export interface OperationCaller {
  /** Returns the JSON of the response; throws a `HelmdeckError`. */
  call<O extends JsonOperationName>(
    operation: O,
    options: Inputs<O> & SendOptions,
  ): Promise<Operations[O]['response']>;
  /** The same, for a response that is not JSON. */
  callForResponse<O extends OperationName>(operation: O, options: Inputs<O> & SendOptions): Promise<Response>;
}

const DEFAULT_MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
/** A server that asks for more patience than this is not retried: the caller decides. */
const MAX_DELAY_MS = 10_000;

/** One of the two: what the server answered, or why it could not be reached. */
interface Attempt {
  response?: Response;
  failure?: HelmdeckError;
}

/** Calls operations of the server at `url`, and repeats those that may be repeated. */
export function createOperationCaller(connection: ConnectionOptions): OperationCaller {
  const { token, maxRetries = DEFAULT_MAX_RETRIES } = connection;
  const base = connection.url.replace(/\/+$/, '');
  // Called through a wrapper: browsers reject a `fetch` that was detached from its window.
  const send = connection.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));

  async function attempt(url: string, init: RequestInit): Promise<Attempt> {
    const bearer = typeof token === 'function' ? await token() : token;
    const authorization: Record<string, string> =
      bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    try {
      return { response: await send(url, { ...init, headers: { ...authorization, ...init.headers } }) };
    } catch (thrown) {
      if (init.signal?.aborted) throw thrown;
      const message = 'The server could not be reached.';
      return { failure: new HelmdeckError(0, { message }, { cause: thrown }) };
    }
  }

  async function callForResponse<O extends OperationName>(
    operation: O,
    options: Inputs<O> & SendOptions,
  ): Promise<Response> {
    const url = base + operationUrl(operation, options);
    const init = requestOf(operation, options as AnyInputs & SendOptions);
    // A stream can be read once.
    const mayRetry = !(init.body instanceof ReadableStream);
    for (let retries = 0; ; retries++) {
      const { response, failure } = await attempt(url, init);
      if (response?.ok) return response;
      const delayMs = mayRetry && retries < maxRetries ? retryDelayMs(init, response, retries) : undefined;
      if (delayMs === undefined) throw failure ?? (await errorOf(response!));
      await response?.body?.cancel();
      await pause(delayMs, init.signal ?? undefined);
    }
  }

  return {
    callForResponse,
    async call(operation, options) {
      const response = await callForResponse(operation, options);
      return (await response.json()) as Operations[typeof operation]['response'];
    },
  };
}

function requestOf(operation: OperationName, options: AnyInputs & SendOptions): RequestInit {
  const { body, headers, signal, keepalive } = options;
  const isStream = body instanceof ReadableStream;
  const isRaw = typeof body === 'string' || body instanceof Blob || isStream;
  const isJson = body !== undefined && !isRaw;
  return {
    method: operation.split(' ')[0],
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
    body: isRaw ? body : isJson ? JSON.stringify(body) : undefined,
    signal,
    keepalive,
    ...(isStream ? { duplex: 'half' } : {}),
  };
}

/**
 * How long to wait before the request is sent again; undefined if it must not be. A request over the rate limit did
 * nothing, so it can always be repeated. After any other failure it may have taken effect: only reads, and writes with
 * an Idempotency-Key, are repeated.
 */
function retryDelayMs(
  { method, headers }: RequestInit,
  response: Response | undefined,
  retries: number,
): number | undefined {
  const status = response?.status ?? 0;
  const isRepeatable = method === 'GET' || new Headers(headers).has('idempotency-key');
  if (status !== 429 && !(isRepeatable && [0, 502, 503, 504].includes(status))) return undefined;
  const asked = Number(response?.headers.get('retry-after') ?? 0) * 1000;
  const delayMs = Math.max(asked, FIRST_DELAY_MS * 2 ** retries * (0.5 + Math.random() / 2));
  return delayMs <= MAX_DELAY_MS ? delayMs : undefined;
}

/** Waits; rejects as soon as the request is aborted. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      finish();
    };
    const aborted = () => end(() => reject(signal!.reason));
    const timer = setTimeout(() => end(resolve), delayMs);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
  });
}

/** The path of an operation, with its path parameters and its query filled in. */
export function operationUrl<O extends OperationName>(operation: O, inputs: Inputs<O>): string {
  const { path = {}, query = {} } = inputs as AnyInputs;
  const filled = operation
    .slice(operation.indexOf('/'))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, String(each)] as [string, string]),
  );
  const search = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
