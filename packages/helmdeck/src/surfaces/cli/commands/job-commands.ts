import type { Command } from 'commander';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { relativeTime } from '../terminal/duration.ts';
import { renderTable } from '../terminal/table.ts';

/** `helmdeck jobs` and `sessions`. */
export function addJobCommands(program: Command, deps: CliDeps): void {
  defineCommand(program, 'jobs', 'list packs that run in the background, and those of the last 24 hours', [
    'jobs',
  ]).action(async (_options: object, command: Command) => {
    const screen = screenOf(deps, command);
    const answer = await withConnection(deps, screen, (connection) =>
      callServer(connection, 'GET /api/v1/jobs', {}),
    );
    const columns = [
      { title: 'JOB' },
      { title: 'PACK' },
      { title: 'STATUS' },
      { title: 'STARTED' },
      { title: 'WHAT', flexible: true },
    ];
    const rows = answer.jobs.map(({ job_id, pack, status, created_at, progress, error }) => [
      job_id,
      pack,
      status === 'running' ? `${progress?.percent ?? 0}%` : status,
      relativeTime(created_at, deps.now()),
      error?.message ?? progress?.message ?? '',
    ]);
    await screen.result(answer, () => (rows.length === 0 ? 'No jobs.' : renderTable(screen, columns, rows)));
  });

  defineCommand(program, 'sessions', 'list the sessions in which packs share notes', ['sessions']).action(
    async (_options: object, command: Command) => {
      const screen = screenOf(deps, command);
      const answer = await withConnection(deps, screen, (connection) =>
        callServer(connection, 'GET /api/v1/sessions', {}),
      );
      const columns = [{ title: 'SESSION' }, { title: 'OPENED' }, { title: 'ENDS' }];
      const rows = answer.sessions.map(({ session_id, created_at, expires_at }) => [
        session_id,
        relativeTime(created_at, deps.now()),
        relativeTime(expires_at, deps.now()),
      ]);
      await screen.result(answer, () =>
        rows.length === 0 ? 'No sessions.' : renderTable(screen, columns, rows),
      );
    },
  );
}
