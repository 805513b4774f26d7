import type { ErrorCode, ErrorEnvelope, Operations } from './generated/rest.ts';

/** An error response of the server, or the failure to reach it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, envelope: Partial<ErrorEnvelope>) {
    super(envelope.message ?? '');
    this.status = status;
    this.code = envelope.error ?? 'unreachable';
    this.reason = envelope.reason;
    this.hint = envelope.hint;
    this.requestId = envelope.request_id;
  }

  /** The server could not be reached at all. */
  get unreachable(): boolean {
    return this.status === 0;
  }
}

/** `GET /api/v1/memory/facts`, …: the method and the path of a route of the server. */
type OperationName = keyof Operations;
type JsonOperationName = {
  [O in OperationName]: Operations[O] extends { response: unknown } ? O : never;
}[OperationName];

/** The path parameters, query and body that an operation takes. */
type Inputs<O extends OperationName> = Pick<Operations[O], keyof Operations[O] & ('path' | 'query' | 'body')>;

interface AnyInputs {
  path?: Record<string, string>;
  query?: Record<string, string | number | readonly string[] | undefined>;
  body?: unknown;
}

interface SendOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** The request outlives the page. */
  keepalive?: boolean;
}

/** Calls an operation of the server and returns the JSON of its response; throws an `ApiError`. */
export async function callApi<O extends JsonOperationName>(
  operation: O,
  options: Inputs<O> & SendOptions,
): Promise<Operations[O]['response']> {
  const response = await callForResponse(operation, options);
  return response.json();
}

/** The same, for a response that is not JSON. */
export async function callForResponse<O extends OperationName>(
  operation: O,
  options: Inputs<O> & SendOptions,
): Promise<Response> {
  const { body, headers, signal, keepalive } = options as AnyInputs & SendOptions;
  const isRaw = typeof body === 'string' || body instanceof Blob;
  const isJson = body !== undefined && !isRaw;
  let response: Response;
  try {
    response = await fetch(operationUrl(operation, options), {
      method: operation.split(' ')[0],
      headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
      body: isRaw ? body : isJson ? JSON.stringify(body) : undefined,
      signal,
      keepalive,
    });
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw new ApiError(0, {});
  }
  if (response.ok) return response;
  const envelope: Partial<ErrorEnvelope> = await response.json().catch(() => ({}));
  throw new ApiError(response.status, envelope);
}

/** The URL of an operation, with its path parameters and its query filled in. */
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
