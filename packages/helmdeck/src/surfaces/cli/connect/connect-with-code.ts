import { AppError } from '../../../errors.ts';
import type { CliDeps } from '../deps.ts';
import { withConnectionTo } from '../server-request.ts';
import { serverUrl } from '../server-url.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Client } from './client.ts';
import { redeemCode, revokeToken } from './client-token.ts';
import { connectClient } from './connect-client.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { ConnectReport } from './connect-report.ts';

/** The address that the Connect page leaves out of its line. */
export const DEFAULT_SERVER = 'http://127.0.0.1:3000';

export function assertOptionsFit(options: ConnectOptions, client: string | undefined): void {
  const { code, server, write, remove, ttl, status, ask, autoCapture } = options;
  if (status && client !== undefined) throw usage('--status is about all programs.', `Leave out ${client}.`);
  if (!status && client === undefined)
    throw usage('Which program?', 'Name one, or see "helmdeck connect --status".');
  if (ask && !autoCapture) throw usage('--ask goes with --auto-capture.', 'Add --auto-capture.');
  if (options.space && !options.autoRecall)
    throw usage('--space goes with --auto-recall.', 'Add --auto-recall.');
  if (code === undefined) {
    if (server !== undefined)
      throw usage(
        '--server goes with --code.',
        'Without a code, "helmdeck login <address>" names the server.',
      );
    return;
  }
  if (remove) throw usage('--code and --remove do not go together.', 'Leave out --code.');
  if (ttl !== undefined)
    throw usage('--code and --ttl do not go together.', 'The lifetime was chosen with the code.');
  // A dry run would use the code up.
  if (!write) throw usage('A code works once, so --code needs --write.', 'Add --write.');
  if (server !== undefined && !/^https?:\/\/\S+$/.test(server))
    throw usage('--server must be an address such as https://memory.example.com.', 'Copy the line again.');
}

/** Redeems the code for a token and connects the client with that, on a machine that need not have any other access. */
export async function connectWithCode(
  deps: CliDeps,
  screen: Screen,
  client: Client,
  options: ConnectOptions,
  code: string,
): Promise<ConnectReport> {
  const url = serverUrl(options.server ?? DEFAULT_SERVER);
  const quiet = screen.json;
  const to = { url, addressFrom: 'argument' } as const;
  const redeemed = await withConnectionTo(deps, { quiet, to }, (connection) => redeemCode(connection, code));
  return withConnectionTo(deps, { quiet, to: { ...to, token: redeemed.token } }, async (connection) => {
    if (redeemed.client !== client.name) {
      await revokeToken(connection, redeemed.token).catch(() => undefined);
      throw usage(`This code is not for ${client.name}.`, 'Make a new one for it on the Connect page.');
    }
    return connectClient(deps, connection, client, options, url, redeemed);
  });
}

function usage(message: string, hint: string): AppError {
  return new AppError('invalid_input', message, { reason: 'usage', hint });
}
