import { AppError, type ErrorEnvelope } from '../../errors.ts';
import type { AddressSource, CliDeps, Connection } from './deps.ts';
import { ServerError } from './terminal/failure.ts';
import type { Screen } from './terminal/screen.ts';
import { addressHint, redirectHint } from './terminal/shell-hint.ts';

/** Opens a connection for the duration of `work` and closes it afterwards, also on Ctrl-C. */
export function withConnection<T>(
  deps: CliDeps,
  screen: Screen,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return withConnectionTo(deps, { quiet: screen.json }, work);
}

/** `withConnection` with explicit options. */
export async function withConnectionTo<T>(
  deps: CliDeps,
  options: Parameters<CliDeps['connect']>[0],
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await deps.connect(options);
  const done = deps.onInterrupt(() => connection.close());
  try {
    return await work(connection);
  } finally {
    await connection.close();
    done();
  }
}

/** Sends a request; an error response is thrown as the server's own error. */
export async function request(
  connection: Connection,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await connection.fetch(path, init);
  if (response.ok) return response;
  throw await errorOf(response, connection.addressFrom);
}

export async function requestJson<T>(connection: Connection, path: string, init?: RequestInit): Promise<T> {
  const response = await request(connection, path, init);
  try {
    return (await response.json()) as T;
  } catch {
    throw new AppError('internal', 'The response is not JSON; is this a Helmdeck server?', {
      hint: addressHint(connection.addressFrom),
    });
  }
}

export async function postJson<T>(connection: Connection, path: string, body: object): Promise<T> {
  return requestJson<T>(connection, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function errorOf(response: Response, addressFrom: AddressSource | undefined): Promise<AppError> {
  if (response.status >= 300 && response.status < 400) {
    const to = response.headers.get('location') ?? 'another address';
    return new AppError('invalid_input', `The server redirects to ${to}.`, {
      reason: 'redirect',
      hint: redirectHint(addressFrom),
    });
  }
  try {
    const envelope = (await response.json()) as ErrorEnvelope;
    if (typeof envelope.error === 'string' && typeof envelope.message === 'string')
      return new ServerError(envelope, addressFrom);
  } catch {
    // Not an error envelope: a proxy's error page, for instance.
  }
  return new AppError(
    response.status === 404 ? 'not_found' : 'internal',
    `The server responded with status ${response.status} and no error message; is this a Helmdeck server?`,
    { hint: addressHint(addressFrom) },
  );
}

/** A path with the query parameters that are defined. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The path of one fact; its key is one path segment, slashes included. */
export function factPath(key: string, suffix = ''): string {
  return `/api/v1/memory/facts/${encodeURIComponent(key)}${suffix}`;
}
