import {
  createOperationCaller,
  type Inputs,
  type JsonOperationName,
  type OperationName,
  type SendOptions,
} from '../../client/call-operation.ts';
import type { Operations } from '../../client/generated/rest.ts';
import { HelmdeckError } from '../../client/helmdeck-error.ts';
import { AppError } from '../../errors.ts';
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

/** Calls an operation with the published client; an error response is thrown as the server's own error, in words for a shell. */
export async function callServer<O extends JsonOperationName>(
  connection: Connection,
  operation: O,
  options: Inputs<O> & SendOptions,
): Promise<Operations[O]['response']> {
  return withShellErrors(connection, () => callerOf(connection).call(operation, options));
}

/** The same, for a response that is not JSON. */
export async function callForResponse<O extends OperationName>(
  connection: Connection,
  operation: O,
  options: Inputs<O> & SendOptions,
): Promise<Response> {
  return withShellErrors(connection, () => callerOf(connection).callForResponse(operation, options));
}

/** Nothing is repeated: a person sees the failure and decides. */
const callerOf = (connection: Connection) =>
  createOperationCaller({
    url: '',
    maxRetries: 0,
    async fetch(path, init) {
      const response = await connection.fetch(String(path), init);
      if (response.status < 300 || response.status > 399) return response;
      const to = response.headers.get('location') ?? 'another address';
      throw new AppError('invalid_input', `The server redirects to ${to}.`, {
        reason: 'redirect',
        hint: redirectHint(connection.addressFrom),
      });
    },
  });

async function withShellErrors<T>({ addressFrom }: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toShellError(thrown, addressFrom);
  }
}

function toShellError(thrown: unknown, addressFrom: AddressSource | undefined): unknown {
  if (thrown instanceof SyntaxError)
    return new AppError('internal', 'The response is not JSON; is this a Helmdeck server?', {
      hint: addressHint(addressFrom),
    });
  if (!(thrown instanceof HelmdeckError)) return thrown;
  const { status, code, message, reason, hint, requestId } = thrown;
  if (thrown.unreachable) return thrown.cause; // the connection says why, and whose address it is
  if (code !== 'unreachable')
    return new ServerError({ error: code, message, reason, hint, request_id: requestId }, addressFrom);
  // Not an error envelope: a proxy's error page, for instance.
  return new AppError(
    status === 404 ? 'not_found' : 'internal',
    `The server responded with status ${status} and no error message; is this a Helmdeck server?`,
    { hint: addressHint(addressFrom) },
  );
}
