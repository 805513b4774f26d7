import type { Command } from 'commander';
import type { Operations } from '../../../client/generated/rest.ts';
import { AppError, ERRORS, type ErrorEnvelope } from '../../../errors.ts';
import type { ProposalView } from '../../../memory/gate/inbox.ts';
import { collectPages } from '../collect-pages.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { sourceName } from '../source-name.ts';
import { confirmOrExit } from '../terminal/confirm.ts';
import { counted, parseCount, relativeTime } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { editText } from './edit-text.ts';
import { readBlocks, type WantedDecision, writeBlocks } from './inbox-blocks.ts';

interface ListOptions {
  status?: string;
  limit?: number;
  caller?: string;
  space?: string;
  edit?: boolean;
  yes?: boolean;
}

type Decided = { id: string; status: 'accepted' | 'rejected'; key?: string; version?: number };
type Result = Decided | ({ id: string } & ErrorEnvelope);

const DEFAULT_LIMIT = 50;
/** As many as a person decides in one sitting. */
const MAX_EDITED = 100;
const MIN_NAME_CHARS = 8;

/** `helmdeck inbox`: lists what waits for a decision, and decides. */
export function addInboxCommand(program: Command, deps: CliDeps): void {
  const inbox = withCaller(
    defineCommand(program, 'inbox', 'what agents propose to remember: look, accept, decline', [
      'inbox',
      'inbox --edit',
      'inbox --space platform',
      'inbox accept pq1bvVFi',
      'inbox reject pq1bvVFi pZx3kQ0a',
    ]),
  )
    .option('--status <status>', 'only proposed, or only quarantined')
    .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--space <name>', 'what waits for the writers of this space')
    .option('--edit', 'decide in your editor: what you leave there is remembered')
    .option('-y, --yes', 'with --edit: do not ask for confirmation')
    .action((options: ListOptions, command: Command) => {
      const screen = screenOf(deps, command);
      return options.edit ? edit(deps, screen, options) : list(deps, screen, options);
    });

  for (const [word, about] of [
    ['accept', 'make proposals facts, as they are'],
    ['reject', 'decline proposals; the same texts are not proposed again for 180 days'],
  ] as const)
    defineCommand(inbox, `${word} <ids...>`, about, [`inbox ${word} pq1bvVFi`])
      .option('--space <name>', 'in the inbox of this space')
      .action((ids: string[], options: { space?: string }, command: Command) => {
        // It may also stand before the word, where it is an option of `inbox`.
        const space = options.space ?? command.parent?.opts<ListOptions>().space;
        return decide(deps, screenOf(deps, command), word, ids, space);
      });
}

async function list(deps: CliDeps, screen: Screen, options: ListOptions): Promise<void> {
  const { status, caller, space, limit = DEFAULT_LIMIT } = options;
  const answer = await withConnection(deps, screen, async (connection) => {
    const { items, nextCursor } = await proposalsOf(connection, { status, caller, space }, limit);
    const query = { caller, space, limit: 1 };
    const { counts } = await callServer(connection, 'GET /api/v1/memory/inbox', { query });
    return { proposals: items, counts, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
  });
  await screen.result(answer, () => table(screen, answer.proposals, deps.now()));
  const { proposed, quarantined } = answer.counts;
  if (proposed + quarantined > answer.proposals.length)
    screen.note(
      screen.paintNote('dim', `${counted(proposed, 'proposal')} and ${quarantined} quarantined in all.`),
    );
}

type InboxQuery = NonNullable<Operations['GET /api/v1/memory/inbox']['query']>;

const proposalsOf = (
  connection: Connection,
  query: { status?: string; caller?: string; space?: string },
  limit?: number,
) => collectPages(connection, 'GET /api/v1/memory/inbox', { query: query as InboxQuery }, 'proposals', limit);

function table(screen: Screen, proposals: readonly ProposalView[], nowMs: number): string {
  if (proposals.length === 0) return screen.paint('dim', 'Nothing waits for you.');
  const nameOf = shortNames(proposals);
  const hasQuotes = proposals.some(({ quote }) => quote !== undefined);
  const columns = [
    { title: 'ID' },
    { title: 'KEY' },
    { title: 'VALUE', flexible: true },
    ...(hasQuotes ? [{ title: 'QUOTE', flexible: true }] : []),
    { title: 'WHY' },
    { title: 'FROM' },
    { title: 'PROPOSED' },
  ];
  const rows = proposals.map((proposal) => [
    nameOf(proposal.id),
    proposal.blocked ? '(withheld)' : proposal.key,
    proposal.blocked?.message ?? proposal.value,
    ...(hasQuotes ? [proposal.quote ?? ''] : []),
    proposal.reason,
    sourceName(proposal.source),
    relativeTime(proposal.proposed_at, nowMs),
  ]);
  return renderTable(screen, columns, rows);
}

/** The shortest beginnings of the ids that tell them apart. */
function shortNames(proposals: readonly ProposalView[]): (id: string) => string {
  const rows = proposals.map(({ id }) => id.split('.')[0]!);
  let chars = MIN_NAME_CHARS;
  while (new Set(rows.map((row) => row.slice(0, chars))).size < rows.length) chars++;
  return (id) => id.slice(0, chars);
}

async function decide(
  deps: CliDeps,
  screen: Screen,
  word: 'accept' | 'reject',
  names: readonly string[],
  space: string | undefined,
): Promise<void> {
  const results = await withConnection(deps, screen, async (connection) => {
    const query = { space };
    const { items } = await proposalsOf(connection, query);
    const ids = names.map((name) => idOf(name, items));
    const body = { [word]: ids };
    return (await callServer(connection, 'POST /api/v1/memory/inbox/decide', { query, body })).results;
  });
  await report(screen, results);
}

/** A whole id names a proposal that may be decided already, which the server tells. */
function idOf(name: string, proposals: readonly ProposalView[]): string {
  const found = proposals.filter(({ id }) => id.startsWith(name));
  if (found.length === 1) return found[0]!.id;
  if (name.includes('.')) return name;
  const problem =
    found.length === 0 ? `There is no proposal ${name}.` : `Several proposals begin with ${name}.`;
  throw new AppError(found.length === 0 ? 'not_found' : 'invalid_input', printable(problem), {
    hint: 'See "helmdeck inbox" for what waits.',
  });
}

async function edit(deps: CliDeps, screen: Screen, options: ListOptions): Promise<void> {
  const { status, caller, space } = options;
  if (caller !== undefined)
    throw new AppError('invalid_input', 'You can look at the inbox of another caller, not decide in it.');
  const { items } = await withConnection(deps, screen, (connection) =>
    proposalsOf(connection, { status, space }, options.limit ?? MAX_EDITED),
  );
  const proposals = items.filter(({ blocked }) => !blocked);
  if (proposals.length === 0) return screen.result({ results: [] }, () => 'Nothing waits for you.');
  const nameOf = shortNames(proposals);
  const text = await editText(deps, writeBlocks(proposals, nameOf), 'inbox.txt');
  const wanted = readBlocks(text, proposals, nameOf);
  const count = (decision: string) => wanted.filter((each) => each.decision === decision).length;
  const summary = `accept ${count('accept')}, decline ${count('reject')}, leave ${count('later')}`;
  if (!options.yes)
    await confirmOrExit(screen, {
      question: `${summary[0]!.toUpperCase()}${summary.slice(1)}?`,
      subject: 'Deciding',
      onNo: 'Nothing was decided.',
    });
  const results = await withConnection(deps, screen, (connection) => apply(connection, wanted, space));
  await report(screen, results);
}

async function apply(
  connection: Connection,
  wanted: readonly WantedDecision[],
  space: string | undefined,
): Promise<Result[]> {
  const query = { space };
  const plain = { accept: [] as string[], reject: [] as string[] };
  const results: Result[] = [];
  for (const each of wanted) {
    if (each.decision === 'later') continue;
    if (each.decision === 'reject' || !each.edits) {
      plain[each.decision].push(each.id);
      continue;
    }
    try {
      const { key, version } = await callServer(connection, 'POST /api/v1/memory/inbox/{proposal}/accept', {
        path: { proposal: each.id },
        query,
        body: each.edits,
      });
      results.push({ id: each.id, status: 'accepted', key, version });
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      const { code: error, message, reason, hint } = thrown;
      results.push({ id: each.id, error, message, reason, hint });
    }
  }
  if (plain.accept.length + plain.reject.length === 0) return results;
  const decided = await callServer(connection, 'POST /api/v1/memory/inbox/decide', { query, body: plain });
  return [...results, ...decided.results];
}

async function report(screen: Screen, results: readonly Result[]): Promise<void> {
  const lines = results.map((result) => {
    if ('error' in result) return `${result.id}: ${result.message}`;
    return result.status === 'accepted'
      ? `Remembered ${result.key}.`
      : `Declined ${result.id.split('.')[0]}.`;
  });
  await screen.result({ results }, () => lines.map(printable).join('\n'));
  const failure = results.find((result) => 'error' in result);
  if (failure && 'error' in failure) throw new CommandExit(ERRORS[failure.error].exit);
}
