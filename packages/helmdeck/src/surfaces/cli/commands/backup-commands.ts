import type { Command } from 'commander';
import { defineCommand, screenOf } from '../define-command.ts';
import type { BackupReport, CliDeps, RestoreReport } from '../deps.ts';
import { byteSize, counted, relativeTime } from '../terminal/duration.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { renderTable } from '../terminal/table.ts';

/** `helmdeck backup` and `helmdeck restore`. */
export function addBackupCommands(program: Command, deps: CliDeps): void {
  defineCommand(program, 'backup [target]', 'copy the database while it is in use', [
    'backup helmdeck-monday.db',
    'backup s3://my-bucket/helmdeck',
    'backup --list',
  ])
    .option('--list', 'show the backups at a folder or s3:// address, or at HELMDECK_BACKUP_URL')
    .action(async (target: string | undefined, options: { list?: boolean }, command: Command) => {
      const screen = screenOf(deps, command);
      if (options.list) return listBackups(deps, screen, target);
      const report = await withProgress(
        screen,
        'Copying',
        (done, of) => `${done} of ${of} pages`,
        (onProgress) => deps.backup(target, onProgress),
      );
      await screen.result(report, () => describeBackup(report));
    });

  defineCommand(program, 'restore <source>', 'replace the database by a backup; stop the server first', [
    'restore helmdeck-monday.db',
    'restore latest',
    'restore s3://my-bucket/helmdeck/helmdeck-0a1b2c3d-20261116T080000000Z.backup',
  ])
    .option('--force', 'even if the configured key does not open it')
    .action(async (source: string, options: { force?: boolean }, command: Command) => {
      const screen = screenOf(deps, command);
      screen.status('Restoring …'); // copying and checking block the thread, so there is no progress to show
      const report = await deps
        .restore(source, { force: options.force === true })
        .finally(() => screen.status(''));
      await screen.result(report, () => describeRestore(report));
    });
}

async function listBackups(deps: CliDeps, screen: Screen, place: string | undefined): Promise<void> {
  const backups = await deps.listBackups(place);
  const columns = [{ title: 'MADE' }, { title: 'SIZE' }, { title: 'DATABASE' }, { title: 'BACKUP' }];
  await screen.result({ backups }, () =>
    backups.length === 0
      ? 'There are no backups yet.'
      : renderTable(
          screen,
          columns,
          backups.map(({ at, bytes, database, file }) => [
            relativeTime(at, deps.now()),
            byteSize(bytes),
            database,
            file,
          ]),
        ),
  );
}

function describeBackup(report: BackupReport): string {
  const what = `${counted(report.rows, 'row')} in ${counted(report.namespaces, 'namespace')}`;
  return [
    `Backed up ${what} (${byteSize(report.bytes)}) to ${report.file}, and checked it.`,
    ...(report.removed ? [`Deleted ${counted(report.removed, 'older backup')}.`] : []),
    'It does not contain the key: back up your secrets file as well, in another place.',
  ].join('\n');
}

function describeRestore(report: RestoreReport): string {
  return [
    `Restored ${counted(report.rows, 'row')} in ${counted(report.namespaces, 'namespace')} to ${report.database}.`,
    `Source: ${report.source}.`,
    ...(report.key_fits ? [] : ['The configured key does NOT open it; set the key it was written with.']),
    ...(report.kept_aside === null ? [] : [`The previous database is now ${report.kept_aside}.`]),
    'Data that was forgotten or erased after the backup is back; data that was stored after it is missing.',
  ].join('\n');
}
