import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnectionTo } from '../server-request.ts';
import { serverUrl } from '../server-url.ts';
import { relativeTime } from '../terminal/duration.ts';
import { readSecret } from '../terminal/read-secret.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** `helmdeck login` and `logout`: the server that commands of this user talk to. */
export function addLoginCommands(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'login [address]',
    'use a server on another machine; asks for a token, or reads it from stdin',
    ['login https://memory.example.com', 'pass show helmdeck | helmdeck login https://memory.example.com'],
  ).action((address: string | undefined, _options: object, command: Command) =>
    address === undefined
      ? showLogin(deps, screenOf(deps, command))
      : login(deps, screenOf(deps, command), address),
  );
  defineCommand(program, 'logout', 'delete the token that "login" saved', ['logout']).action(
    (_options: object, command: Command) => logout(deps, screenOf(deps, command)),
  );
}

async function login(deps: CliDeps, screen: Screen, address: string): Promise<void> {
  const url = serverAddress(address);
  if (isUnencrypted(url))
    screen.note(
      `${screen.paintNote('yellow', 'warning:')} ${url} is not encrypted: others can read the token.`,
    );
  const token = await readSecret(deps.terminal, `Token for ${url}`);
  // Tested before it is saved.
  const session = await withConnectionTo(
    deps,
    { quiet: screen.json, to: { url, token, addressFrom: 'argument' } },
    (connection) => callServer(connection, 'GET /api/v1/auth/session', {}),
  );
  const file = deps.saveLogin({ url, token });
  const { subject, scopes, expires_at } = session;
  await screen.result({ url, subject, scopes, expires_at, file }, () =>
    [
      `Logged in to ${url} as ${printable(subject)}${until(expires_at, deps.now())}.`,
      `The token is in ${file} (mode 0600). Commands go there until "helmdeck logout".`,
    ].join('\n'),
  );
}

async function showLogin(deps: CliDeps, screen: Screen): Promise<void> {
  const saved = deps.savedLogin();
  if (!saved)
    throw new AppError('invalid_input', 'You are not logged in: commands use the server of this machine.', {
      reason: 'usage',
      hint: 'To use another one, add its address, such as https://memory.example.com; it asks for a token.',
    });
  const { subject, scopes, expires_at } = await withConnectionTo(
    deps,
    { quiet: screen.json, to: saved },
    (connection) => callServer(connection, 'GET /api/v1/auth/session', {}),
  );
  await screen.result(
    { url: saved.url, subject, scopes, expires_at },
    () => `Logged in to ${saved.url} as ${printable(subject)}${until(expires_at, deps.now())}.`,
  );
}

async function logout(deps: CliDeps, screen: Screen): Promise<void> {
  const saved = deps.savedLogin();
  deps.deleteLogin();
  await screen.result({ logged_out: saved !== undefined }, () =>
    saved === undefined
      ? 'You were not logged in.'
      : `Logged out of ${saved.url}. The token stays valid until it expires; "helmdeck token revoke" ends it.`,
  );
}

const until = (expiresAt: string | null, nowMs: number) =>
  expiresAt === null ? '' : `; the token expires ${relativeTime(expiresAt, nowMs)}`;

function serverAddress(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return serverUrl(text);
  throw new AppError('invalid_input', `"${text}" is not the address of a server.`, {
    reason: 'usage',
    hint: 'Write it with http:// or https://, such as https://memory.example.com.',
  });
}

function isUnencrypted(url: string): boolean {
  return /^http:/.test(url) && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
