import { AppError } from '../../../errors.ts';
import { OWN_MEMORY, unknownSpace } from '../../../memory/spaces/space.ts';
import { MCP_PROFILES } from '../commands/mcp-profiles.ts';
import type { CliDeps, Connection, Machine } from '../deps.ts';
import { callServer } from '../server-request.ts';
import { checkConnection } from './check-connection.ts';
import type { Client, DesiredConnection, Recipe } from './client.ts';
import { currentIdentity, isReusableToken, mintToken, type NewToken, revokeToken } from './client-token.ts';
import type { ConnectOptions } from './connect-options.ts';
import { type Edit, planChanges } from './connect-plan.ts';
import { type ConnectReport, PLACEHOLDER, writeFiles } from './connect-report.ts';
import { readCurrentConnection } from './current-connection.ts';
import { readConfig } from './formats/config-file.ts';

/** Writes address and token into a client's configuration: `redeemed`, the one it has, or a new one. Nothing is changed before the connection has been tested. */
export async function connectClient(
  deps: CliDeps,
  connection: Connection,
  client: Client,
  options: ConnectOptions,
  serverUrl: string,
  redeemed?: NewToken,
): Promise<ConnectReport> {
  const { path, scopes: profileScopes } = MCP_PROFILES[options.profile];
  const scopes = redeemed?.scopes ?? (options.propose ? profileScopes.map(toProposing) : profileScopes);
  const tokenRequest = { client: client.name, scopes, ttlSeconds: options.ttl };
  const identity = await currentIdentity(connection);
  const current = await readCurrentConnection(client, deps.machine);
  const oldToken = current?.token;
  const isReusable =
    !identity.authOff &&
    !redeemed &&
    oldToken !== undefined &&
    (await isReusableToken(serverUrl, oldToken, identity, tokenRequest, deps.now()));
  const desired: DesiredConnection = {
    serverUrl,
    address: serverUrl + path,
    profile: options.profile,
    token: identity.authOff ? undefined : isReusable ? oldToken : PLACEHOLDER,
    launch: deps.machine.launch,
  };
  await assertSpaces(connection, options.space);
  const recipes = await applicableRecipes(client, options, deps.machine);
  if (client.startsServers || recipes.length > 0) assertLasting(deps.machine);
  const planned = await planChanges(client, editsOf(client, recipes, desired, deps, options), deps.machine);
  const report: ConnectReport = {
    client: client.name,
    action: 'connect',
    written: options.write === true,
    subject: identity.subject,
    address: desired.address,
    profile: options.profile,
    files: planned.map(({ path: file, before, after }) => ({ path: file, changed: before !== after })),
    token: { state: identity.authOff ? 'none' : isReusable ? 'kept' : 'new', scopes: [...scopes] },
    notes: notesOn(client, options, recipes),
  };
  if (!options.write) return { ...report, shown: previewChanges(client, recipes, desired, deps, options) };
  const minted =
    redeemed ?? (desired.token === PLACEHOLDER ? await mintToken(connection, tokenRequest) : undefined);
  const given = { ...desired, token: minted?.token ?? desired.token };
  try {
    report.check = await checkConnection(given, {
      startsServers: client.startsServers === true,
      environment: deps.machine.environment,
      version: deps.version,
    });
    report.files = await writeFiles(
      await planChanges(client, editsOf(client, recipes, given, deps, options), deps.machine),
      deps.machine,
      deps.now(),
    );
  } catch (thrown) {
    // The new token was not written anywhere.
    if (minted) await revokeToken(connection, minted.token).catch(() => undefined);
    throw thrown;
  }
  if (minted) {
    Object.assign(report.token, { jti: minted.jti, expires_at: minted.expires_at });
    // The new token is in place, so a failure here is reported and not thrown.
    if (oldToken !== undefined)
      report.token.revoked_old = await revokeToken(connection, oldToken).catch(() => false);
  }
  return { ...report, next: client.next };
}

/** What recall reads, as `spaces` of a search names it. */
function spacesOf({ space }: ConnectOptions): string | undefined {
  if (!space) return undefined;
  return space.includes('*') ? '*' : [...new Set([OWN_MEMORY, ...space])].join(',');
}

/** A misspelled space would only show when nothing of it is ever recalled. */
async function assertSpaces(connection: Connection, names: readonly string[] = []): Promise<void> {
  const wanted = names.filter((name) => name !== '*' && name !== OWN_MEMORY);
  if (wanted.length === 0) return;
  // Of the granted ones: an admin may look at others, but no search reads them.
  const { spaces } = await callServer(connection, 'GET /api/v1/spaces', {});
  if (wanted.some((slug) => !spaces.some((space) => space.slug === slug))) throw unknownSpace();
}

const toProposing = (scope: string) => (scope === 'memory:write' ? 'memory:propose' : scope);

/** What the user asked for and this client cannot do. */
function notesOn(client: Client, options: ConnectOptions, recipes: readonly Recipe[]): string[] {
  const lacks = (wanted: boolean | undefined, known: readonly Recipe[] = []) =>
    wanted === true && !recipes.some((recipe) => known.includes(recipe));
  const noRecall = lacks(options.autoRecall, client.recall) ? client.recallAlternative : undefined;
  const noCapture =
    lacks(options.autoCapture, client.capture) && noRecall === undefined
      ? `${client.title} has no hooks for --auto-capture, or its plugin is missing.`
      : undefined;
  return [noRecall, noCapture].filter((note) => note !== undefined);
}

async function applicableRecipes(
  client: Client,
  { autoRecall, autoCapture }: ConnectOptions,
  machine: Machine,
): Promise<Recipe[]> {
  const found: Recipe[] = [];
  const wanted = [...(autoRecall ? client.recall : []), ...(autoCapture ? (client.capture ?? []) : [])];
  for (const recipe of wanted)
    if (recipe.isApplicable?.((await readConfig(recipe.path(machine))) ?? '') ?? true) found.push(recipe);
  return found;
}

function editsOf(
  client: Client,
  recipes: readonly Recipe[],
  desired: DesiredConnection,
  { machine }: CliDeps,
  options: ConnectOptions,
): Edit[] {
  const secret = desired.token !== undefined;
  return [
    { file: client, change: (text) => client.connect(text, desired), secret },
    ...recipes.map((recipe) => ({
      file: recipe,
      change: (text: string) =>
        recipe.install(text, machine, { ask: options.ask, spaces: spacesOf(options) }),
      secret: false,
    })),
  ];
}

/** What would be added: the files as they would be if they were empty before, without the token. */
function previewChanges(
  client: Client,
  recipes: readonly Recipe[],
  desired: DesiredConnection,
  deps: CliDeps,
  options: ConnectOptions,
): { path: string; text: string }[] {
  const masked = { ...desired, token: desired.token === undefined ? undefined : PLACEHOLDER };
  const texts = new Map<string, string>();
  for (const { file, change } of editsOf(client, recipes, masked, deps, options)) {
    const path = file.path(deps.machine);
    texts.set(path, change(texts.get(path) ?? ''));
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}

/** A program that asked npx for the name again would get whatever has that name then. */
function assertLasting({ launch }: Machine): void {
  if (!launch.isTemporary) return;
  throw new AppError(
    'invalid_input',
    'This Helmdeck was started with npx, so programs cannot start it later.',
    {
      reason: 'npx',
      hint: 'Install it with npm, globally or in a folder, and run "helmdeck connect" of that one.',
    },
  );
}
