import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, MigrationReport } from '../deps.ts';
import { counted } from '../terminal/duration.ts';
import { withProgress } from '../terminal/progress.ts';

const OUTCOMES: Record<MigrationReport['outcome'], string> = {
  copied: 'Copied',
  resumed: 'Resumed an earlier run and copied',
  unchanged: 'Nothing to do: the destination already has',
};

/** `helmdeck migrate`: copies everything to another database. */
export function addMigrateCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'migrate',
    'copy everything to another database, still encrypted; stop the server first',
    [
      'migrate --to postgres://helmdeck@db.example.com/helmdeck',
      'migrate --from redis://127.0.0.1:6379 --to ./data/helmdeck.db',
      'HELMDECK_DB_FILE=/run/secrets/db helmdeck migrate --from ./data/helmdeck.db',
    ],
  )
    .option('--from <address>', 'the database to copy (default: HELMDECK_DB)')
    .option(
      '--to <address>',
      'an empty database, or the destination of an interrupted run (default with --from: HELMDECK_DB)',
    )
    .action(async (options: { from?: string; to?: string }, command: Command) => {
      const screen = screenOf(deps, command);
      if (options.from === undefined && options.to === undefined)
        throw new AppError('invalid_input', 'Name the destination with --to, or the source with --from.', {
          reason: 'usage',
          hint: 'The other one is HELMDECK_DB.',
        });
      const report = await withProgress(
        screen,
        'Copying',
        (done, of) => `${done} of ${counted(of ?? done, 'row')}`,
        (onProgress) => deps.migrate(options, onProgress),
      );
      await screen.result(report, () => describe(report));
    });
}

function describe(report: MigrationReport): string {
  const what = `${counted(report.rows, 'row')} in ${counted(report.namespaces, 'namespace')}`;
  return [
    `${OUTCOMES[report.outcome]} ${what}; every row was read back and compared.`,
    `  from    ${report.from}`,
    `  to      ${report.to}`,
    `  sha256  ${report.sha256}`,
    'Set HELMDECK_DB to the new address and start the server with the same keys. The source is unchanged: keep it until you are sure, then delete it.',
  ].join('\n');
}
