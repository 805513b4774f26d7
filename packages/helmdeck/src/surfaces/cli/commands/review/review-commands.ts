import type { Command } from 'commander';
import { AppError } from '../../../../errors.ts';
import type { ConfirmAnswer } from '../../../../memory/facts/confirm-fact.ts';
import { cautionText } from '../../../../memory/facts/freshness.ts';
import type { FactView } from '../../../../memory/facts/read-facts.ts';
import { collectPages } from '../../collect-pages.ts';
import { defineCommand, screenOf, withSpace } from '../../define-command.ts';
import type { CliDeps, Connection } from '../../deps.ts';
import { callServer, withConnection } from '../../server-request.ts';
import { sourceName } from '../../source-name.ts';
import { counted, parseCount, parseDuration, relativeTime } from '../../terminal/duration.ts';
import type { Screen } from '../../terminal/screen.ts';
import { printable, renderTable } from '../../terminal/table.ts';
import { printAdvice } from '../store-advice.ts';

const DEFAULT_LIMIT = 50;

/** `helmdeck confirm` and `review`: say which facts are still true. */
export function addReviewCommands(program: Command, deps: CliDeps): void {
  const confirmCommand = defineCommand(
    program,
    'confirm <key>',
    'say that a fact is still true, and keep it for its lifetime',
    ['confirm user/editor', 'confirm deploy/target --ttl 30d'],
  );
  withSpace(confirmCommand)
    .option('--ttl <time>', 'lifetime from now: 90d, 12h (default: unchanged)', parseDuration)
    .option('--if-version <n>', 'only if this is the current version', parseCount)
    .action((key: string, options: ConfirmOptions, command: Command) =>
      confirm(deps, screenOf(deps, command), key, options),
    );

  defineCommand(
    program,
    'review',
    'go through the facts that are stale or expire within a week; without a terminal, list them',
    ['review', 'review --limit 10', 'review --json'],
  )
    .option('--limit <n>', `at most this many (default: ${DEFAULT_LIMIT})`, parseCount)
    .action((options: { limit?: number }, command: Command) =>
      review(deps, screenOf(deps, command), options.limit ?? DEFAULT_LIMIT),
    );
}

interface ConfirmOptions {
  ttl?: number;
  ifVersion?: number;
  space?: string;
}

async function confirm(
  deps: CliDeps,
  screen: Screen,
  key: string,
  { ttl, ifVersion, space }: ConfirmOptions,
): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'POST /api/v1/memory/facts/{key}/confirm', {
      path: { key },
      query: { space },
      body: { ttl_seconds: ttl, if_version: ifVersion },
    }),
  );
  await screen.result(
    answer,
    () => `Confirmed ${screen.paint('bold', printable(answer.key))}  ${nextDates(deps, screen, answer)}`,
  );
}

function nextDates(deps: CliDeps, screen: Screen, { review_by, expires_at }: ConfirmAnswer): string {
  const until = `expires ${relativeTime(expires_at, deps.now())}`;
  const due = review_by === undefined ? '' : `due for review ${relativeTime(review_by, deps.now())}, `;
  return screen.paint('dim', due + until);
}

async function review(deps: CliDeps, screen: Screen, limit: number): Promise<void> {
  await withConnection(deps, screen, async (connection) => {
    const { items: facts, nextCursor } = await collectPages(
      connection,
      'GET /api/v1/memory/facts',
      { query: { due: '1' } },
      'facts',
      limit,
    );
    const isWalk = screen.interactive && !screen.json && facts.length > 0;
    if (isWalk) await walk(deps, screen, connection, facts);
    else await screen.result({ facts }, () => dueTable(screen, facts, deps.now()));
    if (nextCursor !== undefined) screen.note(screen.paintNote('dim', 'There are more; use --limit.'));
  });
}

function dueTable(screen: Screen, facts: readonly FactView[], nowMs: number): string {
  if (facts.length === 0) return screen.paint('dim', 'Nothing to review.');
  const columns = [
    { title: 'KEY' },
    { title: 'VALUE', flexible: true },
    { title: 'CONFIRMED' },
    { title: 'EXPIRES' },
  ];
  const rows = facts.map(({ key, value, confirmed_at, expires_at }) => [
    key,
    value,
    relativeTime(confirmed_at, nowMs),
    relativeTime(expires_at, nowMs),
  ]);
  return renderTable(screen, columns, rows);
}

/** What the user decided about a fact; `undefined`: ask again. */
type Outcome = 'confirmed' | 'changed' | 'forgotten' | 'skipped' | 'quit' | undefined;

async function walk(
  deps: CliDeps,
  screen: Screen,
  connection: Connection,
  facts: readonly FactView[],
): Promise<void> {
  const counts = new Map<string, number>();
  for (const [at, fact] of facts.entries()) {
    screen.note(card(deps, screen, fact, `${at + 1} of ${facts.length}`));
    let outcome: Outcome;
    while (outcome === undefined) outcome = await decide(deps, screen, connection, fact);
    if (outcome === 'quit') break;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const done = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const left = facts.length - [...counts.values()].reduce((sum, count) => sum + count, 0);
  const rest = left === 0 ? '' : `${counted(left, 'fact')} left`;
  screen.note([done, rest].filter(Boolean).join(', '));
}

function card(deps: CliDeps, screen: Screen, fact: FactView, place: string): string {
  const nowMs = deps.now();
  const about = [
    fact.stale ? cautionText(Date.parse(fact.confirmed_at), nowMs) : undefined,
    fact.category,
    `from ${sourceName(fact.source)}`,
    `expires ${relativeTime(fact.expires_at, nowMs)}`,
  ];
  const value = printable(fact.value).replaceAll('\n', '\n  ');
  return [
    `\n${screen.paintNote('dim', place)}  ${screen.paintNote('bold', printable(fact.key))}`,
    `  ${value}`,
    `  ${screen.paintNote('dim', printable(about.filter(Boolean).join(' · ')))}`,
  ].join('\n');
}

async function decide(
  deps: CliDeps,
  screen: Screen,
  connection: Connection,
  fact: FactView,
): Promise<Outcome> {
  const answer = await screen.ask('Still true? [y]es, [e]dit, [f]orget, [s]kip, [q]uit: ');
  try {
    switch (answer?.trim().toLowerCase()) {
      case undefined:
      case 'q':
      case 'quit':
        return 'quit';
      case 's':
      case 'skip':
        return 'skipped';
      case 'y':
      case 'yes': {
        const confirmed = await callServer(connection, 'POST /api/v1/memory/facts/{key}/confirm', {
          path: { key: fact.key },
          body: { if_version: fact.version },
        });
        screen.note(
          screen.paintNote('dim', `Confirmed, expires ${relativeTime(confirmed.expires_at, deps.now())}.`),
        );
        return 'confirmed';
      }
      case 'e':
      case 'edit':
        return await edit(screen, connection, fact);
      case 'f':
      case 'forget':
        if (!(await screen.confirm('Forget it with its history?'))) return undefined;
        await callServer(connection, 'DELETE /api/v1/memory/facts/{key}', { path: { key: fact.key } });
        return 'forgotten';
      default:
        return undefined;
    }
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (!['precondition_failed', 'not_found', 'invalid_input', 'secret_detected'].includes(thrown.code))
      throw thrown;
    screen.note(thrown.message);
    // Another writer changed or removed it, so what was shown is no longer there to be judged.
    return ['precondition_failed', 'not_found'].includes(thrown.code) ? 'skipped' : undefined;
  }
}

async function edit(screen: Screen, connection: Connection, fact: FactView): Promise<Outcome> {
  // A line break would end the line that is edited.
  const initial = /[\p{Cc}]/u.test(fact.value) ? '' : fact.value;
  const value = (await screen.ask('New value: ', initial))?.trim();
  if (!value || value === fact.value) return undefined;
  const body = { key: fact.key, value, if_version: fact.version };
  const stored = await callServer(connection, 'POST /api/v1/memory/store', { body });
  if (stored.status === 'active') printAdvice(screen, stored);
  return 'changed';
}
