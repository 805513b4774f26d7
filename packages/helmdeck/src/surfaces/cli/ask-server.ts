import { AppError, type ErrorEnvelope } from '../../errors.ts';
import type { CliDeps, Connection } from './deps.ts';
import { AnsweredError } from './terminal/failure.ts';
import type { Screen } from './terminal/screen.ts';

/** Opens a connection for one piece of work and closes it again, also on Ctrl-C. */
export async function withConnection<T>(
  deps: CliDeps,
  screen: Screen,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await deps.connect({ quiet: screen.json });
  const done = deps.onInterrupt(() => connection.close());
  try {
    return await work(connection);
  } finally {
    await connection.close();
    done();
  }
}

/** Asks and insists on success: what the server refuses is thrown as its own error. */
export async function askServer(
  connection: Connection,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response = await connection.fetch(path, init);
  if (response.ok) return response;
  throw await refusal(response);
}

export async function askJson<T>(connection: Connection, path: string, init?: RequestInit): Promise<T> {
  const response = await askServer(connection, path, init);
  try {
    return (await response.json()) as T;
  } catch {
    throw new AppError('internal', 'The answer is not JSON; is this a Helmdeck server?', {
      hint: 'Check HELMDECK_URL.',
    });
  }
}

export async function postJson<T>(connection: Connection, path: string, body: object): Promise<T> {
  return askJson<T>(connection, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function refusal(response: Response): Promise<AppError> {
  if (response.status >= 300 && response.status < 400) {
    const to = response.headers.get('location') ?? 'another address';
    return new AppError('invalid_input', `The server sends us on to ${to}.`, {
      reason: 'redirect',
      hint: 'Set HELMDECK_URL to the address it really has.',
    });
  }
  try {
    const envelope = (await response.json()) as ErrorEnvelope;
    if (typeof envelope.error === 'string' && typeof envelope.message === 'string')
      return new AnsweredError(envelope);
  } catch {
    // Not ours: a proxy's page, for instance.
  }
  return new AppError(
    response.status === 404 ? 'not_found' : 'internal',
    `The server answered ${response.status} without saying why; is this a Helmdeck server?`,
    { hint: 'Check HELMDECK_URL.' },
  );
}

/** A path with those query parameters that have a value. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The path of one fact: its key as one segment, whatever is in it. */
export function factPath(key: string, suffix = ''): string {
  return `/api/v1/memory/facts/${encodeURIComponent(key)}${suffix}`;
}
