import { isIPv6 } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { defineCommand, screenOf } from '../define-command.ts';
import type { Check, CliDeps, InitReport, KeyRotationReport, OrphanedRows } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { assertInteractive, confirmOrExit } from '../terminal/confirm.ts';
import { counted, parseCount } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { renderTable } from '../terminal/table.ts';

const FAILED_CHECK_EXIT = 10;
const MAX_PORT = 65_535;

interface ServeOptions {
  init?: boolean;
  watchPacks?: boolean;
  newMemory?: boolean;
  host?: string;
  port?: number;
}

/** `helmdeck serve`, `init` and `config`. */
export function addServerCommands(program: Command, deps: CliDeps): void {
  program
    .command('serve')
    .description('run the server')
    .option('--port <port>', 'listen on this port instead of that of HELMDECK_ADDR', parsePort)
    .option('--host <host>', 'listen on this address instead of that of HELMDECK_ADDR', parseHost)
    .option('--init', 'create missing secrets first, and print a login, a token and first steps')
    .option('--watch-packs', 'reload the packs of HELMDECK_PACKS_DIR when a file changes')
    .option('--new-memory', 'begin a new, empty memory although the database of an earlier one is missing')
    .option('--json', 'print the address as one line of JSON')
    .addHelpText('after', '\nExamples:\n  $ helmdeck serve --init\n  $ helmdeck serve --port 4000')
    .action((options: ServeOptions, command: Command) =>
      deps.serve({
        init: options.init === true,
        json: command.optsWithGlobals().json === true,
        watchPacks: options.watchPacks === true,
        newMemory: options.newMemory === true,
        host: options.host,
        port: options.port,
      }),
    );

  defineCommand(program, 'init', 'create missing secrets in a file that only you can read', ['init'])
    .option('--force', 'create a new memory key even if the key of an existing database is missing')
    .action(async (options: { force?: boolean }, command: Command) => {
      const report = await deps.init({ force: options.force === true });
      await screenOf(deps, command).result(report, () => describeInit(report));
    });

  defineCommand(program, 'config', 'print the effective configuration, secrets masked', ['config'])
    .addHelpText('after', () => `\nSettings (environment variables):\n${describeVariables(deps)}`)
    .action(async (_options: object, command: Command) => {
      const screen = screenOf(deps, command);
      const { settings, warnings } = deps.settings();
      const columns = [
        { title: 'NAME' },
        { title: 'VALUE' },
        { title: 'FROM' },
        { title: 'WHAT IT IS', flexible: true },
      ];
      await screen.result({ settings, warnings }, () =>
        renderTable(
          screen,
          columns,
          settings.map(({ name, value, from, about }) => [name, value, from, about]),
        ),
      );
      for (const warning of warnings) screen.note(`${screen.paintNote('yellow', 'warning:')} ${warning}`);
    });
}

function describeVariables(deps: CliDeps): string {
  const variables = deps.variables();
  const longest = Math.max(...variables.map(({ name }) => name.length));
  return variables.map(({ name, about }) => `  ${name.padEnd(longest)}  ${about}`).join('\n');
}

function parsePort(text: string): number {
  const port = parseCount(text);
  if (port > MAX_PORT) throw new InvalidArgumentError(`It must be at most ${MAX_PORT}.`);
  return port;
}

function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || (host.includes(':') && !isIPv6(host)))
    throw new InvalidArgumentError('It must be an address or a name, without a port.');
  return host;
}

/** `helmdeck doctor`, `clock` and `rotate`. */
export function addMaintenanceCommands(program: Command, deps: CliDeps): void {
  defineCommand(program, 'doctor', 'find problems and say how to fix them', [
    'doctor',
    'doctor --public',
    'doctor --purge-unreadable',
  ])
    .option('--public', 'connect over HELMDECK_PUBLIC_URL as claude.ai and ChatGPT do')
    .option('--purge-unreadable', 'delete data that the configured key cannot decrypt; stop the server first')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((options: { public?: boolean; purgeUnreadable?: boolean; yes?: boolean }, command: Command) =>
      doctor(deps, screenOf(deps, command), options),
    );

  defineCommand(program, 'clock', "show the server's time, and whether it deletes what expired by it", [
    'clock',
    'clock --confirm',
  ])
    .option('--confirm', 'say that the time is right, so that what expired is deleted')
    .option('-y, --yes', 'do not ask for confirmation')
    .action((options: { confirm?: boolean; yes?: boolean }, command: Command) =>
      clock(deps, screenOf(deps, command), options),
    );

  defineCommand(program, 'rotate', 'replace the memory key in the secrets file', [
    'rotate',
    'rotate --finish',
  ])
    .option('--finish', 'remove the previous key, once nothing depends on it')
    .action(async (options: { finish?: boolean }, command: Command) => {
      const report = await deps.rotateKey({ finish: options.finish === true });
      await screenOf(deps, command).result(report, () => describeRotation(report));
    });
}

function describeInit(report: InitReport): string {
  const key = report.key_id === null ? [] : [`The id of the memory key is ${report.key_id}.`];
  if (report.created.length === 0)
    return [`Nothing to do: all secrets are set (${report.file}).`, ...key].join('\n');
  return [
    `Created in ${report.file} (mode 0600):`,
    ...report.created.map((name) => `  ${name}`),
    ...key,
    'Back up this file, separately from the database: without it no stored data can be read.',
  ].join('\n');
}

function describeRotation({ file, key_id, previous_key_ids, finished }: KeyRotationReport): string {
  const previous = previous_key_ids.join(', ');
  if (finished)
    return [
      `The rotation to the key ${key_id} is finished. Removed from ${file}: ${previous}.`,
      'Restart the server, so that it no longer holds the previous key. Keep that key with the backups it opens.',
    ].join('\n');
  return [
    `New memory key ${key_id} in ${file}; ${previous} is now the previous key.`,
    'Next:',
    '  1. Back up this file, separately from the database.',
    '  2. Restart the server: it re-wraps the data keys while it serves.',
    '  3. Run "helmdeck rotate --finish" and restart once more.',
    'If several nodes use this database, they all need both keys: see docs/howto/rotate-the-key.md.',
  ].join('\n');
}

async function clock(
  deps: CliDeps,
  screen: Screen,
  options: { confirm?: boolean; yes?: boolean },
): Promise<void> {
  const state = await withConnection(deps, screen, async (connection) => {
    const shown = await callServer(connection, 'GET /api/v1/clock', {});
    if (!options.confirm || shown.trusted) return shown;
    if (!options.yes) {
      const question = `The server's clock says ${shown.now}. Is that right? Facts that expired by then are deleted.`;
      await confirmOrExit(screen, {
        question,
        subject: 'Confirming the clock',
        onNo: 'Nothing was changed.',
      });
    }
    return callServer(connection, 'POST /api/v1/clock/confirm', {});
  });
  const note = state.trusted
    ? 'What expired is deleted.'
    : 'It leapt: what expired is hidden, and deleted only after an hour, or after "helmdeck clock --confirm".';
  await screen.result(state, () => `The server's clock says ${state.now}. ${note}`);
}

async function doctor(
  deps: CliDeps,
  screen: Screen,
  options: { public?: boolean; purgeUnreadable?: boolean; yes?: boolean },
): Promise<void> {
  const removed = options.purgeUnreadable ? await purge(deps, screen, options.yes === true) : undefined;
  const checks = await deps.doctor({ publicly: options.public === true });
  const healthy = checks.every((check) => check.status !== 'fail');
  await screen.result({ ok: healthy, checks, ...(removed ? { removed } : {}) }, () =>
    [...(removed ? [describeRemoved(removed), ''] : []), describeChecks(screen, checks)].join('\n'),
  );
  if (!healthy) throw new CommandExit(FAILED_CHECK_EXIT);
}

async function purge(deps: CliDeps, screen: Screen, yes: boolean): Promise<OrphanedRows> {
  const found = await withProgress(
    screen,
    'Searching',
    (rows) => counted(rows, 'row'),
    deps.findOrphanedRows,
  );
  if (found.rows === 0 && found.namespaces === 0) return found;
  const subject = `Deleting ${summary(found)}`;
  if (!yes) assertInteractive(screen, subject);
  if (found.everything) {
    screen.note('The configured key decrypts NOTHING in this database, so ALL of it would be deleted.');
    screen.note('If you still have the old key, answer no and set HELMDECK_MEMORY_KEY to it.');
  }
  if (!yes) {
    const question = `Delete ${summary(found)} for good?`;
    await confirmOrExit(screen, { question, subject, onNo: 'Nothing was deleted.' });
  }
  return withProgress(screen, 'Deleting', (rows) => counted(rows, 'row'), deps.purgeOrphanedRows);
}

function summary({ rows, namespaces }: OrphanedRows): string {
  return `${counted(rows, 'unreadable row')} and ${counted(namespaces, 'unreadable namespace')}`;
}

function describeRemoved(removed: OrphanedRows): string {
  if (removed.rows === 0 && removed.namespaces === 0) return 'Nothing is unreadable; nothing was deleted.';
  const start = removed.everything ? ' The database starts empty under the configured key.' : '';
  return `Deleted ${summary(removed)}.${start}`;
}

const MARKS = { ok: ['green', 'ok  '], warn: ['yellow', 'warn'], fail: ['red', 'FAIL'] } as const;

function describeChecks(screen: Screen, checks: readonly Check[]): string {
  const longest = Math.max(...checks.map((check) => check.name.length));
  return checks
    .flatMap((check) => {
      const [colour, mark] = MARKS[check.status];
      const line = `${screen.paint(colour, mark)}  ${check.name.padEnd(longest)}  ${check.message}`;
      return check.fix
        ? [line, `${' '.repeat(longest + 8)}${screen.paint('dim', `→ ${check.fix}`)}`]
        : [line];
    })
    .join('\n');
}
