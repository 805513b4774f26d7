import type { CliDeps } from '../deps.ts';
import { withConnection } from '../server-request.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Client } from './client.ts';
import { revokeToken } from './client-token.ts';
import type { ConnectOptions } from './connect-options.ts';
import { planRemovals, type Removal } from './connect-plan.ts';
import { type ConnectReport, restoreFiles } from './connect-report.ts';
import { readCurrentConnection } from './current-connection.ts';

/** Removes everything that `connectClient` wrote, and revokes the token. */
export async function disconnectClient(
  deps: CliDeps,
  screen: Screen,
  client: Client,
  options: ConnectOptions,
  serverUrl: string | undefined,
): Promise<ConnectReport> {
  const current = await readCurrentConnection(client, deps.machine);
  const removals: Removal[] = [
    { file: client, remove: client.disconnect },
    ...[...client.recall, ...(client.capture ?? [])].map((recipe) => ({
      file: recipe,
      remove: recipe.remove,
    })),
  ];
  const changes = await planRemovals(client, removals, deps.machine);
  const report: ConnectReport = {
    client: client.name,
    action: 'remove',
    written: options.write === true,
    files: changes.map(({ path, before, after }) => ({ path, changed: before !== after })),
    token: { state: current?.token === undefined ? 'none' : 'held', scopes: [] },
    notes: [],
  };
  if (!options.write) return report;
  report.files = await restoreFiles(changes, deps.machine, deps.now());
  const { token } = current ?? {};
  if (token === undefined) return report;
  const notRevoked =
    'Its token could not be revoked and is valid until it expires; see "helmdeck token list".';
  try {
    if (serverUrl === undefined) throw new Error('no server');
    const revoked = await withConnection(deps, screen, (connection) => revokeToken(connection, token));
    if (revoked) report.token.state = 'revoked';
    else report.notes.push('Its token is not known to this server, or was already revoked.');
  } catch {
    report.notes.push(notRevoked);
  }
  return report;
}
