import { withConnection } from '../ask-server.ts';
import type { CliDeps } from '../deps.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Client } from './client.ts';
import { revokeToken } from './client-token.ts';
import type { ConnectOptions } from './connect-options.ts';
import { planChanges } from './connect-plan.ts';
import { type ConnectReport, writeChanges } from './connect-report.ts';
import { heldBy } from './current-connection.ts';

/** Takes everything out again that connecting put in, and makes the token useless. */
export async function disconnectClient(
  deps: CliDeps,
  screen: Screen,
  client: Client,
  options: ConnectOptions,
  serverUrl: string | undefined,
): Promise<ConnectReport> {
  const held = await heldBy(client, deps.machine);
  const edits = [
    { file: client, change: client.disconnected, secret: true },
    ...client.recall.map((recipe) => ({ file: recipe, change: recipe.removed, secret: false })),
  ];
  const changes = (await planChanges(client, edits, deps.machine)).filter(({ before }) => before !== '');
  const report: ConnectReport = {
    client: client.name,
    action: 'remove',
    written: options.write === true,
    files: changes.map(({ path, before, after }) => ({ path, changed: before !== after })),
    token: { state: held?.token === undefined ? 'none' : 'held', scopes: [] },
    notes: [],
  };
  if (!options.write) return report;
  report.files = await writeChanges(changes, deps.now());
  const { token } = held ?? {};
  if (token === undefined) return report;
  const unsure = 'Its token could not be revoked and works until it expires: "helmdeck token list" shows it.';
  try {
    if (serverUrl === undefined) throw new Error('no server');
    const revoked = await withConnection(deps, screen, (connection) => revokeToken(connection, token));
    if (revoked) report.token.state = 'revoked';
    else report.notes.push('Its token is not one of this server, or was gone already.');
  } catch {
    report.notes.push(unsure);
  }
  return report;
}
