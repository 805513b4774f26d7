/** What the server says when it refuses, and what the browser says when there is no server. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, envelope: Partial<Envelope>) {
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

interface Envelope {
  error: string;
  message: string;
  reason: string;
  hint: string;
  request_id: string;
}

export interface CallOptions {
  method?: string;
  /** Sent as JSON; a string or a file is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  signal?: AbortSignal;
  /** The request outlives the page. */
  keepalive?: boolean;
}

export async function callApi<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await callForResponse(path, options);
  return (await response.json()) as T;
}

export async function callForResponse(path: string, options: CallOptions = {}): Promise<Response> {
  const { body, query = {}, ...init } = options;
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const raw = typeof body === 'string' || body instanceof Blob;
  const headers = {
    ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const send = { ...init, headers, body: raw ? body : body === undefined ? undefined : JSON.stringify(body) };
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}${search === '' ? '' : `?${search}`}`, send);
  } catch (thrown) {
    if (options.signal?.aborted) throw thrown;
    throw new ApiError(0, {});
  }
  if (response.ok) return response;
  const envelope = await response.json().catch(() => ({}));
  throw new ApiError(response.status, envelope as Partial<Envelope>);
}
