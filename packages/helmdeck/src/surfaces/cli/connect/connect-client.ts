import type { CliDeps, Connection } from '../deps.ts';
import { MCP_PROFILES } from '../mcp-profiles.ts';
import { checkConnection } from './check-connection.ts';
import type { Client, Wanted } from './client.ts';
import { isGoodToken, mintToken, type NewToken, revokeToken, whoAmI } from './client-token.ts';
import type { ConnectOptions } from './connect-options.ts';
import { type Edit, planChanges } from './connect-plan.ts';
import { type ConnectReport, PLACEHOLDER, writeChanges } from './connect-report.ts';
import { heldBy } from './held.ts';

/** Gives a program its address and a token that works. Nothing is changed before the connection has been tried. */
export async function connectClient(
  deps: CliDeps,
  connection: Connection,
  client: Client,
  options: ConnectOptions,
  serverUrl: string,
): Promise<ConnectReport> {
  const { path, scopes } = MCP_PROFILES[options.profile];
  const wish = { client: client.name, scopes, ttlSeconds: options.ttl };
  const person = await whoAmI(connection);
  const held = await heldBy(client, deps.machine);
  const old = held?.token;
  const keeps =
    !person.authOff && old !== undefined && (await isGoodToken(serverUrl, old, person, wish, deps.now()));
  const wanted: Wanted = {
    serverUrl,
    address: serverUrl + path,
    profile: options.profile,
    token: person.authOff ? undefined : keeps ? old : PLACEHOLDER,
    launch: deps.machine.launch,
  };
  const planned = await planChanges(client, editsOf(client, options, wanted, deps), deps.machine);
  const report: ConnectReport = {
    client: client.name,
    action: 'connect',
    written: options.write === true,
    subject: person.subject,
    address: wanted.address,
    profile: options.profile,
    files: planned.map(({ path: file, before, after }) => ({ path: file, changed: before !== after })),
    token: { state: person.authOff ? 'none' : keeps ? 'kept' : 'new', scopes: [...scopes] },
    notes: options.autoRecall && client.insteadOfRecall ? [client.insteadOfRecall] : [],
  };
  if (!options.write) return { ...report, shown: await shownChanges(client, options, wanted, deps) };
  const minted = wanted.token === PLACEHOLDER ? await mintToken(connection, wish) : undefined;
  const given = { ...wanted, token: minted?.token ?? wanted.token };
  try {
    report.check = await checkConnection(given, {
      startsServers: client.startsServers === true,
      environment: deps.machine.environment,
      version: deps.version,
    });
    report.files = await writeChanges(
      await planChanges(client, editsOf(client, options, given, deps), deps.machine),
      deps.now(),
    );
  } catch (thrown) {
    // A token that nobody holds must not live on.
    if (minted) await revokeToken(connection, minted.token).catch(() => undefined);
    throw thrown;
  }
  noteToken(report, minted);
  if (minted && old !== undefined) report.token.revoked_old = await revokeOld(connection, old);
  return { ...report, next: client.next };
}

function noteToken(report: ConnectReport, minted: NewToken | undefined): void {
  if (minted) Object.assign(report.token, { jti: minted.jti, expires_at: minted.expires_at });
}

/** The new one works and is written; that the old one could not be revoked is worth a word, not a failure. */
async function revokeOld(connection: Connection, token: string): Promise<boolean> {
  return revokeToken(connection, token).catch(() => false);
}

function editsOf(client: Client, options: ConnectOptions, wanted: Wanted, { machine }: CliDeps): Edit[] {
  const recipes = options.autoRecall ? client.recall : [];
  const secret = wanted.token !== undefined;
  return [
    { file: client, change: (text) => client.connected(text, wanted), secret },
    ...recipes.map((recipe) => ({
      file: recipe,
      change: (text: string) => recipe.installed(text, machine),
      secret: false,
    })),
  ];
}

/** What would be added, as it would stand in files with nothing else in them. */
async function shownChanges(
  client: Client,
  options: ConnectOptions,
  wanted: Wanted,
  deps: CliDeps,
): Promise<{ path: string; text: string }[]> {
  const masked = { ...wanted, token: wanted.token === undefined ? undefined : PLACEHOLDER };
  const texts = new Map<string, string>();
  for (const { file, change } of editsOf(client, options, masked, deps)) {
    const path = file.path(deps.machine);
    texts.set(path, change(texts.get(path) ?? ''));
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}
