import { MCP_PROFILES } from '../commands/mcp-profiles.ts';
import type { CliDeps, Connection, Machine } from '../deps.ts';
import { checkConnection } from './check-connection.ts';
import type { Client, RecallRecipe, Wanted } from './client.ts';
import { isGoodToken, mintToken, type NewToken, revokeToken, whoAmI } from './client-token.ts';
import type { ConnectOptions } from './connect-options.ts';
import { type Edit, planChanges } from './connect-plan.ts';
import { type ConnectReport, PLACEHOLDER, writeChanges } from './connect-report.ts';
import { heldBy } from './current-connection.ts';
import { readConfig } from './formats/config-file.ts';

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
  const recipes = options.autoRecall ? await fittingRecipes(client, deps.machine) : [];
  const planned = await planChanges(client, editsOf(client, recipes, wanted, deps), deps.machine);
  const report: ConnectReport = {
    client: client.name,
    action: 'connect',
    written: options.write === true,
    subject: person.subject,
    address: wanted.address,
    profile: options.profile,
    files: planned.map(({ path: file, before, after }) => ({ path: file, changed: before !== after })),
    token: { state: person.authOff ? 'none' : keeps ? 'kept' : 'new', scopes: [...scopes] },
    notes:
      options.autoRecall && recipes.length === 0 && client.insteadOfRecall ? [client.insteadOfRecall] : [],
  };
  if (!options.write) return { ...report, shown: shownChanges(client, recipes, wanted, deps) };
  const minted = wanted.token === PLACEHOLDER ? await mintToken(connection, wish) : undefined;
  const given = { ...wanted, token: minted?.token ?? wanted.token };
  try {
    report.check = await checkConnection(given, {
      startsServers: client.startsServers === true,
      environment: deps.machine.environment,
      version: deps.version,
    });
    report.files = await writeChanges(
      await planChanges(client, editsOf(client, recipes, given, deps), deps.machine),
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

async function fittingRecipes(client: Client, machine: Machine): Promise<RecallRecipe[]> {
  const found: RecallRecipe[] = [];
  for (const recipe of client.recall)
    if (recipe.fits?.(await readConfig(recipe.path(machine))) ?? true) found.push(recipe);
  return found;
}

function editsOf(
  client: Client,
  recipes: readonly RecallRecipe[],
  wanted: Wanted,
  { machine }: CliDeps,
): Edit[] {
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
function shownChanges(
  client: Client,
  recipes: readonly RecallRecipe[],
  wanted: Wanted,
  deps: CliDeps,
): { path: string; text: string }[] {
  const masked = { ...wanted, token: wanted.token === undefined ? undefined : PLACEHOLDER };
  const texts = new Map<string, string>();
  for (const { file, change } of editsOf(client, recipes, masked, deps)) {
    const path = file.path(deps.machine);
    texts.set(path, change(texts.get(path) ?? ''));
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}
