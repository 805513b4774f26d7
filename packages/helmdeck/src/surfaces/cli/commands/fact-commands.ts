import { type Command, Option } from 'commander';
import type { Fact, Operations } from '../../../client/generated/rest.ts';
import { FACT_SORTS } from '../../../memory/facts/fact-pages.ts';
import { cautionText } from '../../../memory/facts/freshness.ts';
import type { DeclinedAnswer, ProposedAnswer } from '../../../memory/facts/store-answer.ts';
import { collectPages } from '../collect-pages.ts';
import { defineCommand, screenOf, withCaller, withSpace } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { sourceName } from '../source-name.ts';
import { collect, parseCount, parseDuration, relativeTime } from '../terminal/duration.ts';
import { readStdin } from '../terminal/files.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { printAdvice } from './store-advice.ts';

type FactSort = NonNullable<Operations['GET /api/v1/memory/facts']['query']>['sort'];

const DEFAULT_LIMIT = 50;
const withMemory = (command: Command) => withSpace(withCaller(command));

/** `helmdeck remember`, `get`, `list` and `history`. */
export function addFactCommands(program: Command, deps: CliDeps): void {
  const rememberCommand = defineCommand(
    program,
    'remember <key> <value...>',
    'store a fact; storing the same key again creates a new version',
    [
      'remember user/editor "prefers vim"',
      'remember deploy/target staging --category ops --tag infra --ttl 30d',
      'git log -1 | helmdeck remember repo/last-commit -',
      'remember preferences/editor "prefers vim" --replaces user/editor',
    ],
  );
  withSpace(rememberCommand)
    .alias('store') // the word of REST and MCP; without it "restore" would be suggested
    .option('--category <name>', 'category (default: unchanged, or user_facts)')
    .option('--tag <tag>', 'tag; may be repeated (default: unchanged)', collect)
    .option('--project <name>', 'the project it is about, such as "$(helmdeck project)" (default: unchanged)')
    .option('--ttl <time>', 'lifetime: 90d, 12h, 3600 (default: unchanged, or 90d)', parseDuration)
    .option(
      '--review-after <time>',
      'due for review after 30d, 12h, … (default: unchanged, or as configured)',
      parseDuration,
    )
    .option('--if-version <n>', 'only if this is the current version; 0: only if the key is new', parseCount)
    .option(
      '--replaces <key>',
      'rename or merge this fact into it, with its history; may be repeated',
      collect,
    )
    .action((key: string, words: string[], options: RememberOptions, command: Command) =>
      remember(deps, screenOf(deps, command), key, words, options),
    );

  withMemory(
    defineCommand(program, 'get <key>', 'print the value of a fact', [
      'get user/editor',
      'get user/editor --version 1',
      'get user/editor --as-of 2026-01-31T12:00:00Z',
    ]),
  )
    .option('--version <n>', 'this version instead of the latest', parseCount)
    .option('--as-of <time>', 'the version of that time (RFC 3339)')
    .action((key: string, options: GetOptions, command: Command) =>
      get(deps, screenOf(deps, command), key, options),
    );

  withMemory(
    defineCommand(program, 'list', 'list facts', [
      'list',
      'list --prefix user/ --sort key',
      'list -q "vim editor" --all',
      'list --expiring-within 7d --json',
    ]),
  )
    .option('--prefix <text>', 'only keys that begin with this')
    .option('--category <name>', 'only this category')
    .option('--tag <tag>', 'only facts with this tag')
    .option('--project <name>', 'only facts about this project')
    .option('-q, --query <words>', 'only facts that match these words, best first')
    .addOption(new Option('--sort <order>', 'order').choices(FACT_SORTS))
    .option('--expiring-within <time>', 'only facts that expire within 7d, 12h, …', parseDuration)
    .option('--due', 'only facts that are stale or expire within a week, most recalled first')
    .option('--never-recalled', 'only facts over 7 days old that were never recalled')
    .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--all', 'no limit')
    .action((options: ListOptions, command: Command) => list(deps, screenOf(deps, command), options));

  withMemory(
    defineCommand(program, 'history <key>', 'list the versions of a fact, newest first', [
      'history user/editor',
    ]),
  ).action((key: string, options: HistoryOptions, command: Command) =>
    history(deps, screenOf(deps, command), key, options),
  );
}

interface RememberOptions {
  category?: string;
  tag?: string[];
  project?: string;
  ttl?: number;
  reviewAfter?: number;
  ifVersion?: number;
  replaces?: string[];
  space?: string;
}

async function remember(
  deps: CliDeps,
  screen: Screen,
  key: string,
  words: string[],
  options: RememberOptions,
): Promise<void> {
  const value = words.length === 1 && words[0] === '-' ? await readStdin(deps.terminal.in) : words.join(' ');
  const fact = {
    key,
    value,
    category: options.category,
    tags: options.tag,
    project: options.project,
    ttl_seconds: options.ttl,
    review_after_seconds: options.reviewAfter,
    if_version: options.ifVersion,
    replaces: options.replaces,
  };
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'POST /api/v1/memory/store', { query: { space: options.space }, body: fact }),
  );
  if (answer.status === 'declined' || 'proposal_id' in answer)
    return screen.result(answer, () => notStored(answer, options.space));
  await screen.result(answer, () => {
    const what = answer.created ? 'Remembered' : `Updated (version ${answer.version})`;
    const gone = answer.replaced ? `  replaces ${answer.replaced.map(printable).join(', ')}` : '';
    const until = screen.paint('dim', `expires ${relativeTime(answer.expires_at, deps.now())}`);
    return `${what} ${screen.paint('bold', printable(answer.key))}${gone}  ${until}`;
  });
  printAdvice(screen, answer);
}

function notStored(answer: ProposedAnswer | DeclinedAnswer, space: string | undefined): string {
  if (answer.status === 'declined') return 'Not stored: this text was declined before.';
  const why =
    answer.status === 'quarantined' ? 'it reads like an instruction to a model' : 'it waits for a decision';
  const where = space === undefined ? 'inbox' : `space proposals ${space}`;
  return `Not stored yet: ${why} (${answer.reason}). See "helmdeck ${where}".`;
}

interface GetOptions {
  version?: number;
  asOf?: string;
  caller?: string;
  space?: string;
}

async function get(deps: CliDeps, screen: Screen, key: string, options: GetOptions): Promise<void> {
  const query = {
    version: options.version,
    as_of: options.asOf,
    caller: options.caller,
    space: options.space,
  };
  const fact = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/memory/facts/{key}', { path: { key }, query }),
  );
  // A pipe gets the value as it was stored; on a terminal its control characters are replaced.
  await screen.result(fact, () => (screen.columns === undefined ? fact.value : printable(fact.value)));
  if (screen.columns === undefined) return;
  const tags = fact.tags.length > 0 ? ` · ${fact.tags.join(', ')}` : '';
  const nowMs = deps.now();
  const confirmed = fact.stale
    ? ` · ${cautionText(Date.parse(fact.confirmed_at), nowMs)}`
    : fact.confirmed_by
      ? ` · confirmed ${relativeTime(fact.confirmed_at, nowMs)}`
      : '';
  const project = fact.project ? ` · project ${fact.project}` : '';
  const about = `version ${fact.version} · ${fact.category}${tags}${project} · updated ${relativeTime(fact.updated_at, nowMs)} · expires ${relativeTime(fact.expires_at, nowMs)}${confirmed}`;
  screen.note(screen.paintNote('dim', printable(about)));
}

interface ListOptions {
  prefix?: string;
  category?: string;
  tag?: string;
  project?: string;
  query?: string;
  sort?: string;
  expiringWithin?: number;
  due?: boolean;
  neverRecalled?: boolean;
  limit?: number;
  all?: boolean;
  caller?: string;
  space?: string;
}

async function list(deps: CliDeps, screen: Screen, options: ListOptions): Promise<void> {
  const query = {
    prefix: options.prefix,
    category: options.category,
    tag: options.tag,
    project: options.project,
    q: options.query,
    sort: options.sort as FactSort,
    expiring_within: options.expiringWithin,
    due: options.due ? ('1' as const) : undefined,
    never_recalled: options.neverRecalled ? ('1' as const) : undefined,
    caller: options.caller,
    space: options.space,
  };
  const maxItems = options.all ? undefined : (options.limit ?? DEFAULT_LIMIT);
  const { items: facts, nextCursor } = await withConnection(deps, screen, (connection) =>
    collectPages(connection, 'GET /api/v1/memory/facts', { query }, 'facts', maxItems),
  );
  const more = nextCursor === undefined ? {} : { next_cursor: nextCursor };
  await screen.result({ facts, ...more }, () => factTable(screen, facts, deps.now()));
  if (nextCursor !== undefined) screen.note(screen.paintNote('dim', 'There are more; use --all or --limit.'));
}

function factTable(screen: Screen, facts: Fact[], nowMs: number): string {
  if (facts.length === 0) return screen.paint('dim', 'No facts.');
  const columns = [
    { title: 'KEY' },
    { title: 'VALUE', flexible: true },
    { title: 'CATEGORY' },
    { title: 'TAGS' },
    { title: 'EXPIRES' },
    ...(facts.some(({ stale }) => stale) ? [{ title: 'STALE' }] : []),
  ];
  const rows = facts.map((fact) => [
    fact.key,
    fact.value,
    fact.category,
    fact.tags.join(','),
    relativeTime(fact.expires_at, nowMs),
    fact.stale ? `confirmed ${relativeTime(fact.confirmed_at, nowMs)}` : '',
  ]);
  return renderTable(screen, columns, rows);
}

interface HistoryOptions {
  caller?: string;
  space?: string;
}

async function history(
  deps: CliDeps,
  screen: Screen,
  key: string,
  { caller, space }: HistoryOptions,
): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/memory/facts/{key}/history', {
      path: { key },
      query: { caller, space },
    }),
  );
  const columns = [
    { title: 'VERSION', align: 'right' as const },
    { title: 'WHEN' },
    { title: 'FROM' },
    { title: 'VALUE', flexible: true },
  ];
  const rows = answer.versions.map((version) => [
    String(version.version),
    relativeTime(version.at, deps.now()),
    sourceName(version.source),
    version.value,
  ]);
  await screen.result(answer, () => renderTable(screen, columns, rows));
}
