import type { Command } from 'commander';
import type { memoryStats } from '../../../memory/facts/overview.ts';
import { collectPages } from '../collect-pages.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { byteSize, counted, parseCount, relativeTime } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import type { Screen } from '../terminal/screen.ts';
import { renderFields, renderTable } from '../terminal/table.ts';

type Stats = Awaited<ReturnType<typeof memoryStats>>;

interface PageOptions {
  limit?: number;
  all?: boolean;
}

const DEFAULT_LIMIT = 50;

/** `helmdeck stats`; the functions below add `callers` and `audit`. */
export function addOverviewCommands(program: Command, deps: CliDeps): void {
  withCaller(
    defineCommand(program, 'stats', 'show counts, sizes, limits and health of your memory', ['stats']),
  ).action((options: { caller?: string }, command: Command) =>
    stats(deps, screenOf(deps, command), options.caller),
  );
}

export function addCallersCommand(program: Command, deps: CliDeps): void {
  paged(
    defineCommand(program, 'callers', 'list who has stored something, most entries first', [
      'callers',
      'callers --all',
    ]),
  ).action((options: PageOptions, command: Command) => callers(deps, screenOf(deps, command), options));
}

export function addAuditCommands(program: Command, deps: CliDeps): void {
  const audit = program
    .command('audit')
    .description('the access audit: reads by admins, logins, tokens, forgets');
  paged(
    defineCommand(audit, 'list', 'list the latest records, newest first', ['audit list --limit 20']),
  ).action((options: PageOptions, command: Command) => auditList(deps, screenOf(deps, command), options));
  defineCommand(audit, 'verify', 'check that no record was changed or removed', ['audit verify']).action(
    (_options: object, command: Command) => auditVerify(deps, screenOf(deps, command)),
  );
}

function paged(command: Command): Command {
  return command
    .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--all', 'no limit');
}

async function stats(deps: CliDeps, screen: Screen, caller: string | undefined): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/memory/stats', { query: { caller } }),
  );
  await screen.result(answer, () => {
    const { facts, bytes } = answer.quota;
    const limit = (most: number | null, show: (n: number) => string) =>
      most === null ? '' : ` of ${show(most)}`;
    const others = Object.entries(answer.counts).filter(([kind]) => kind !== 'fact');
    const when = (iso: string | null) => (iso === null ? 'none' : relativeTime(iso, deps.now()));
    return renderFields(screen, [
      ['Memory of', answer.scope.replace(/^caller=/, '')],
      ['Facts', `${facts.used}${limit(facts.limit, String)}`],
      ['Size', `${byteSize(bytes.used)}${limit(bytes.limit, byteSize)}`],
      ...others.map(([kind, count]) => [kind, String(count)] as const),
      ['Oldest', when(answer.oldest)],
      ['Next expiry', when(answer.next_expiry)],
      ['Unreadable', unreadableText(answer.unreadable_rows)],
      ['Embeddings', embeddingsText(answer.embeddings)],
      ['Key', `${answer.key_id}${answer.key_ephemeral ? ' (lost when the server stops)' : ''}`],
      ['Key rotation', rotationText(answer.rotation)],
    ]);
  });
}

function unreadableText(rows: Stats['unreadable_rows']): string {
  if (rows === null) return 'not checked';
  return rows === 0 ? 'none' : `${rows} (helmdeck doctor)`;
}

function embeddingsText(embeddings: Stats['embeddings']): string {
  if (embeddings === null) return 'off: search goes by words';
  const { model, indexed, waiting, problem } = embeddings;
  const progress = `${counted(indexed, 'fact')}, ${waiting === 0 ? 'none' : waiting} waiting`;
  return `${model}, ${progress}${problem === undefined ? '' : ` (${problem})`}`;
}

/** Counts namespaces: those of all callers, because a rotation is one of the server. */
function rotationText({ total, done, unreadable, finished }: Stats['rotation']): string {
  if (total === 0) return 'none under way';
  const stranded = unreadable === 0 ? '' : `, ${unreadable} under a key that is not set (helmdeck doctor)`;
  return `${finished ? 'finished' : 'under way'}: ${done} of ${total}${stranded}`;
}

const maxItemsOf = ({ limit, all }: PageOptions) => (all ? undefined : (limit ?? DEFAULT_LIMIT));
const moreOf = (nextCursor: string | undefined) =>
  nextCursor === undefined ? {} : { next_cursor: nextCursor };

async function callers(deps: CliDeps, screen: Screen, options: PageOptions): Promise<void> {
  const { items, nextCursor } = await withConnection(deps, screen, (connection) =>
    collectPages(connection, 'GET /api/v1/memory/callers', {}, 'callers', maxItemsOf(options)),
  );
  const columns = [
    { title: 'CALLER', flexible: true },
    { title: 'ENTRIES', align: 'right' as const },
  ];
  await screen.result({ callers: items, ...moreOf(nextCursor) }, () =>
    renderTable(
      screen,
      columns,
      items.map(({ namespace, count }) => [namespace, String(count)]),
    ),
  );
}

async function auditList(deps: CliDeps, screen: Screen, options: PageOptions): Promise<void> {
  const { items, nextCursor } = await withConnection(deps, screen, (connection) =>
    collectPages(connection, 'GET /api/v1/audit', {}, 'records', maxItemsOf(options)),
  );
  const columns = [
    { title: 'N', align: 'right' as const },
    { title: 'WHEN' },
    { title: 'ACTION' },
    { title: 'WHO' },
    { title: 'WHOSE' },
    { title: 'DETAIL', flexible: true },
  ];
  const rows = items.map((record) => [
    String(record.n),
    record.at,
    record.action,
    record.actor,
    record.target ?? '',
    record.detail ?? '',
  ]);
  await screen.result({ records: items, ...moreOf(nextCursor) }, () =>
    rows.length === 0 ? 'No records.' : renderTable(screen, columns, rows),
  );
}

async function auditVerify(deps: CliDeps, screen: Screen): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/audit/verify', {}),
  );
  await screen.result(answer, () =>
    answer.ok
      ? `${screen.paint('green', 'ok')}  The chain of ${counted(answer.records, 'record')} is intact.`
      : `${screen.paint('red', 'BROKEN')}  ${answer.problem} (${counted(answer.records, 'record before it is', 'records before it are')} intact.)`,
  );
  if (!answer.ok) throw new CommandExit(1);
}
