import type { Command } from 'commander';
import type { Invitation, User, UserInput } from '../../../../client/generated/rest.ts';
import { AppError } from '../../../../errors.ts';
import { collectPages } from '../../collect-pages.ts';
import { defineCommand, screenOf } from '../../define-command.ts';
import type { CliDeps, Connection } from '../../deps.ts';
import { callServer, withConnection } from '../../server-request.ts';
import { confirmOrExit } from '../../terminal/confirm.ts';
import { relativeTime } from '../../terminal/duration.ts';
import { createNewFile } from '../../terminal/files.ts';
import type { Screen } from '../../terminal/screen.ts';
import { type Column, printable, renderTable } from '../../terminal/table.ts';

/** `helmdeck user`: accounts, for admins. */
export function addUserCommands(program: Command, deps: CliDeps): void {
  const user = program.command('user').description('invite people, and manage their accounts');
  defineCommand(user, 'add <name>', 'add an account; prints the link that sets its password, once', [
    'user add ada --display-name "Ada Lovelace"',
    'user add grace --role admin',
  ])
    .option('--display-name <text>', 'how the person is called')
    .option('--role <role>', 'member, or admin', 'member')
    .action((name: string, options: { displayName?: string; role: string }, command: Command) =>
      printInvitation(deps, screenOf(deps, command), (connection) =>
        callServer(connection, 'POST /api/v1/users', {
          body: { name, display_name: options.displayName, role: options.role as UserInput['role'] },
        }),
      ),
    );

  defineCommand(user, 'list', 'list the accounts, with what each one uses', ['user list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );

  for (const [verb, state, about] of [
    ['disable', 'disabled', 'end the sessions and tokens of an account, and let nobody sign in with it'],
    ['enable', 'active', 'let the person of a disabled account sign in again'],
  ] as const)
    defineCommand(user, `${verb} <name>`, about, [`user ${verb} ada`]).action(
      (name: string, _options: object, command: Command) =>
        setState(deps, screenOf(deps, command), name, state),
    );

  defineCommand(
    user,
    'reset <name>',
    'end the password and sessions of an account; prints a link for a new one',
    ['user reset ada'],
  ).action((name: string, _options: object, command: Command) =>
    printInvitation(deps, screenOf(deps, command), async (connection) => {
      const { id } = await findUser(connection, name);
      return callServer(connection, 'POST /api/v1/users/{id}/invitation', { path: { id } });
    }),
  );

  defineCommand(user, 'remove <name>', 'remove an account and erase its memory for good', [
    'user remove ada --receipt receipt.json',
  ])
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--receipt <file>', 'save the receipt of the erase')
    .action((name: string, options: { yes?: boolean; receipt?: string }, command: Command) =>
      remove(deps, screenOf(deps, command), name, options),
    );
}

async function printInvitation(
  deps: CliDeps,
  screen: Screen,
  invite: (connection: Connection) => Promise<Invitation>,
): Promise<void> {
  let isEmbedded = false;
  const invited = await withConnection(deps, screen, (connection) => {
    isEmbedded = connection.embedded === true;
    return invite(connection);
  });
  const { user, invitation } = invited;
  await screen.result(invited, () => invitation.url);
  const until = relativeTime(invitation.expires_at, deps.now());
  const about = `Send this link to ${user.name}: it sets the password, once, and expires ${until}.`;
  screen.note(screen.paintNote('dim', printable(about)));
  if (isEmbedded && invitation.url.startsWith('http://localhost/'))
    screen.note('No server runs here: replace http://localhost with the address of yours.');
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const { items: users } = await withConnection(deps, screen, (connection) =>
    collectPages(connection, 'GET /api/v1/users', {}, 'users'),
  );
  const columns: Column[] = [
    { title: 'NAME', flexible: true },
    { title: 'DISPLAY NAME', flexible: true },
    { title: 'ROLE' },
    { title: 'STATE' },
    { title: 'FACTS', align: 'right' },
    { title: 'KB', align: 'right' },
    { title: 'LAST SEEN' },
  ];
  const rows = users.map(({ subject, display_name, role, state, usage, last_seen_at }) => [
    subject,
    display_name ?? '',
    role,
    state,
    String(usage.facts),
    String(Math.ceil(usage.bytes / 1000)),
    last_seen_at === null ? 'never' : relativeTime(last_seen_at, deps.now()),
  ]);
  await screen.result({ users }, () =>
    rows.length === 0 ? 'No accounts.' : renderTable(screen, columns, rows),
  );
}

async function setState(deps: CliDeps, screen: Screen, name: string, state: 'active' | 'disabled') {
  const user = await withConnection(deps, screen, async (connection) => {
    const { id } = await findUser(connection, name);
    return callServer(connection, 'PATCH /api/v1/users/{id}', { path: { id }, body: { state } });
  });
  await screen.result(user, () =>
    printable(
      state === 'disabled'
        ? `Disabled ${user.subject}; its sessions and tokens have ended.`
        : `Enabled ${user.subject}; earlier sessions and tokens stay ended.`,
    ),
  );
}

async function remove(
  deps: CliDeps,
  screen: Screen,
  name: string,
  options: { yes?: boolean; receipt?: string },
): Promise<void> {
  if (!options.yes)
    await confirmOrExit(screen, {
      question: `Remove ${name} and erase everything they stored, for good?`,
      subject: `Removing ${name}`,
      onNo: 'Nothing was removed.',
    });
  // The receipt is issued once: check first that it can be saved.
  const file = options.receipt === undefined ? undefined : await createNewFile(options.receipt, false);
  const removed = await withConnection(deps, screen, async (connection) => {
    const { id } = await findUser(connection, name);
    return callServer(connection, 'DELETE /api/v1/users/{id}', { path: { id } });
  }).catch(async (thrown) => {
    await file?.discard();
    throw thrown;
  });
  await screen.result(removed, () => JSON.stringify(removed.receipt, null, 2));
  if (!file) return;
  await file.write(`${JSON.stringify(removed.receipt, null, 2)}\n`);
  await file.finish();
  screen.note(`Removed ${printable(name)}; the receipt is in ${options.receipt}.`);
}

/** By its name, or `<issuer>#<name>` for the person of an identity provider. */
async function findUser(connection: Connection, name: string): Promise<User> {
  const { items } = await collectPages(connection, 'GET /api/v1/users', {}, 'users');
  const found =
    items.find(({ subject }) => subject === name) ??
    items.find(({ subject }) => subject.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new AppError('not_found', `There is no account ${name}.`, {
    hint: '"helmdeck user list" shows the accounts.',
  });
}
