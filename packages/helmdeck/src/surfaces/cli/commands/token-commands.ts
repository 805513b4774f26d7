import type { Command } from 'commander';
import type { Scope } from '../../../client/generated/rest.ts';
import { AppError } from '../../../errors.ts';
import { collectPages } from '../collect-pages.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { collect, parseDuration, relativeTime } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';

interface MintOptions {
  subject?: string;
  name?: string;
  client?: string;
  scope?: string[];
  propose?: boolean;
  space?: string[];
  ttl?: number;
}

interface RevokeOptions {
  subject?: string;
  before?: string;
}

/** `helmdeck token mint`, `list` and `revoke`. */
export function addTokenCommands(program: Command, deps: CliDeps): void {
  const token = program.command('token').description('mint, list and revoke tokens');
  defineCommand(token, 'mint', 'create a token; it is printed once, on stdout', [
    'token mint --client claude --name "my laptop"',
    'token mint --subject alice --scope memory:read --ttl 30d',
    'token mint --client codex --propose',
    'token mint --client codex --space platform',
  ])
    .option('--subject <sub>', 'whose memory it gives access to (admins; default: yours)')
    .option('--name <text>', 'a name to recognise it by')
    .option('--client <text>', 'the program that uses it')
    .option(
      '--scope <scope>',
      `a scope; may be repeated: ${deps.scopes.join(' ')} (default: ${deps.defaultScopes.join(' ')})`,
      (text: string, before: string[] | undefined) =>
        text.split(',').reduce<string[]>((all, each) => collect(each, all), before ?? []),
    )
    .option(
      '--space <name>',
      'the only spaces that it reaches (repeatable; "" for none; default: those that you do)',
      (name: string, before: string[] = []) => (name === '' ? before : [...before, name]),
    )
    .option('--propose', 'what it stores waits in your inbox until you accept it')
    .option('--ttl <time>', 'lifetime: 90d, 12h (default: 90d)', parseDuration)
    .action((options: MintOptions, command: Command) => mint(deps, screenOf(deps, command), options));

  defineCommand(token, 'list', 'list the tokens of this server, without their secret part', [
    'token list',
  ]).action((_options: object, command: Command) => list(deps, screenOf(deps, command)));

  defineCommand(token, 'revoke [id]', 'revoke a token and what it minted, or all tokens of a subject', [
    'token revoke 0f2c6f0e-5d7b-4a57-8a43-5a0e7f4b7a11',
    'token revoke --subject alice --before 2026-05-01T12:00:00Z',
  ])
    .option('--subject <sub>', "a subject's tokens instead of one, wherever they were minted")
    .option('--before <time>', 'those issued up to this time (default: now)')
    .action((jti: string | undefined, options: RevokeOptions, command: Command) =>
      revoke(deps, screenOf(deps, command), jti, options),
    );
}

async function mint(deps: CliDeps, screen: Screen, options: MintOptions): Promise<void> {
  const minted = await withConnection(deps, screen, async (connection) =>
    callServer(connection, 'POST /api/v1/tokens', {
      body: {
        subject: options.subject,
        name: options.name,
        client: options.client,
        scopes: (options.scope ?? (await defaultScopesFor(deps, connection))) as Scope[] | undefined,
        write: options.propose ? 'propose' : undefined,
        spaces: options.space,
        ttl_seconds: options.ttl,
      },
    }),
  );
  await screen.result(minted, () => minted.token);
  const about = `For ${minted.subject}, expires ${relativeTime(minted.expires_at, deps.now())}, may ${minted.scopes.join(' ')}. Id ${minted.jti}. It is not shown again.`;
  screen.note(screen.paintNote('dim', printable(about)));
}

/** An admin rarely wants a token with all scopes, so it gets the default ones; others get their own scopes. */
async function defaultScopesFor(
  deps: CliDeps,
  connection: Connection,
): Promise<readonly string[] | undefined> {
  const { scopes } = await callServer(connection, 'GET /api/v1/auth/session', {});
  return scopes.includes('admin') ? deps.defaultScopes : undefined;
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const { items: tokens } = await withConnection(deps, screen, (connection) =>
    collectPages(connection, 'GET /api/v1/tokens', {}, 'tokens'),
  );
  const answer = { tokens };
  const columns = [
    { title: 'ID' },
    { title: 'SUBJECT' },
    { title: 'CLIENT' },
    { title: 'NAME', flexible: true },
    { title: 'STATE' },
    { title: 'LAST USED' },
    { title: 'SCOPES', flexible: true },
  ];
  const rows = answer.tokens.map((token) => [
    token.jti,
    token.subject,
    token.client ?? '',
    token.name ?? '',
    token.revoked_at === null ? `expires ${relativeTime(token.expires_at, deps.now())}` : 'revoked',
    token.last_used_at === null ? 'never' : relativeTime(token.last_used_at, deps.now()),
    token.scopes.join(' '),
  ]);
  await screen.result(answer, () => (rows.length === 0 ? 'No tokens.' : renderTable(screen, columns, rows)));
}

async function revoke(
  deps: CliDeps,
  screen: Screen,
  jti: string | undefined,
  { subject, before }: RevokeOptions,
): Promise<void> {
  if ((jti === undefined) === (subject === undefined) || (before !== undefined && subject === undefined))
    throw new AppError('invalid_input', 'Name a token by its id, or a subject with --subject.');
  if (jti === undefined) {
    const all = await withConnection(deps, screen, (connection) =>
      callServer(connection, 'POST /api/v1/tokens/revoke', { body: { subject, before } }),
    );
    const text = `Revoked the tokens of ${all.subject} issued up to ${all.before}; ${all.tokens} of them were minted here.`;
    return screen.result(all, () => printable(text));
  }
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'DELETE /api/v1/tokens/{jti}', { path: { jti } }),
  );
  await screen.result(answer, () => revokedText(jti, answer));
}

function revokedText(jti: string, { known, tokens }: { known: boolean; tokens: number }): string {
  if (!known) return `No token ${jti} was minted here; a token with this id is refused from now on.`;
  return tokens > 1 ? `Revoked ${jti} and ${tokens - 1} that were minted with it.` : `Revoked ${jti}.`;
}
