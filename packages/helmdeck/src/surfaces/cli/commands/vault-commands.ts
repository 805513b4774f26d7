import type { Command } from 'commander';
import type { PackResult } from '../../../client/generated/rest.ts';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { collect, relativeTime } from '../terminal/duration.ts';
import { readSecret } from '../terminal/read-secret.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';

interface SetOptions {
  host?: string[];
  place?: string[];
}

interface ListedSecret {
  name: string;
  hosts: string[];
  places: string[];
  created_at: string;
  updated_at: string;
}

/** `helmdeck vault …`: credentials, which memory refuses. Uses the vault packs, so that their scopes and records apply. */
export function addVaultCommands(program: Command, deps: CliDeps): void {
  const vault = program.command('vault').description('credentials: list, set, get and delete');
  defineCommand(vault, 'list', 'list the names of your secrets, without values', ['vault list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );
  defineCommand(vault, 'set <name>', 'store a secret; asks for the value, or reads it from stdin', [
    'vault set weather --host api.weather.example',
    'pass show weather | helmdeck vault set weather',
  ])
    .option('--host <host>', 'the only hosts it may be sent to; may be repeated', collect)
    .option(
      '--place <place>',
      'where in a request it may stand: header, header:NAME, url, body; may be repeated (default: header)',
      collect,
    )
    .action((name: string, options: SetOptions, command: Command) =>
      set(deps, screenOf(deps, command), name, options),
    );
  defineCommand(vault, 'get <name>', 'print the value of a secret', ['vault get weather']).action(
    (name: string, _options: object, command: Command) => get(deps, screenOf(deps, command), name),
  );
  defineCommand(vault, 'delete <name>', 'delete a secret for good', ['vault delete weather']).action(
    (name: string, _options: object, command: Command) => remove(deps, screenOf(deps, command), name),
  );
}

async function run<T>(deps: CliDeps, screen: Screen, pack: string, input: object): Promise<T> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'POST /api/v1/packs/{name}', { path: { name: pack }, body: { ...input } }),
  );
  return (answer as PackResult).output as T; // these packs are not run as jobs
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const answer = await run<{ secrets: ListedSecret[] }>(deps, screen, 'vault.list', {});
  const columns = [
    { title: 'NAME' },
    { title: 'HOSTS', flexible: true },
    { title: 'PLACES' },
    { title: 'UPDATED' },
  ];
  const rows = answer.secrets.map(({ name, hosts, places, updated_at }) => [
    name,
    hosts.length === 0 ? 'any' : hosts.join(' '),
    places.join(' '),
    relativeTime(updated_at, deps.now()),
  ]);
  await screen.result(answer, () =>
    rows.length === 0 ? screen.paint('dim', 'The vault is empty.') : renderTable(screen, columns, rows),
  );
}

async function set(deps: CliDeps, screen: Screen, name: string, options: SetOptions): Promise<void> {
  const value = await readSecret(deps.terminal, `Value of ${printable(name)}`);
  const answer = await run<{ created: boolean }>(deps, screen, 'vault.write', {
    name,
    value,
    hosts: options.host,
    places: options.place,
  });
  await screen.result(answer, () => `${answer.created ? 'Stored' : 'Replaced'} ${printable(name)}.`);
  if (options.host === undefined)
    screen.note(screen.paintNote('dim', 'It may be sent to any host; --host limits it.'));
}

async function get(deps: CliDeps, screen: Screen, name: string): Promise<void> {
  const secret = await run<{ value: string }>(deps, screen, 'vault.read', { name });
  // A pipe gets the value as it was stored; on a terminal its control characters are replaced.
  await screen.result(secret, () => (screen.columns === undefined ? secret.value : printable(secret.value)));
}

async function remove(deps: CliDeps, screen: Screen, name: string): Promise<void> {
  const answer = await run<{ deleted: number }>(deps, screen, 'vault.delete', { name });
  if (answer.deleted === 0)
    throw new AppError('not_found', 'There is no such secret.', {
      hint: '"helmdeck vault list" lists them.',
    });
  await screen.result(answer, () => `Deleted ${printable(name)}.`);
}
