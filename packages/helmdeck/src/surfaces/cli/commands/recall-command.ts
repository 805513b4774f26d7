import type { Command } from 'commander';
import { CONFIDENT_SCORE } from '../../../recall/search.ts';
import { askJson, withConnection, withQuery } from '../ask-server.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { parseCount } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { type RecallHit, renderHit } from './recall-hit.ts';

/** A screenful; a program that wants more says so. */
const DEFAULT_LIMIT = 10;
/** A pasted page is cut to what fits into a URL; the server reads only the beginning anyway. */
const MAX_QUERY_IN_URL = 12_000;

interface SearchAnswer {
  results: RecallHit[];
  took_ms: number;
  abstained: boolean;
  degraded?: boolean;
}

interface RecallOptions {
  limit?: number;
  category?: string;
  tag?: string;
  kinds?: string;
  why?: boolean;
  caller?: string;
}

export function addRecallCommand(program: Command, deps: CliDeps): void {
  withCaller(
    defineCommand(program, 'recall <words...>', 'find facts from a few words, best first', [
      'recall what was that about konflux deploys',
      'recall database port --category ops --limit 3',
      'recall "who is on call" --why',
    ]),
  )
    .option('--limit <n>', `at most this many, up to 100 (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--category <name>', 'of this category')
    .option('--tag <tag>', 'with this tag')
    .option('--kinds <list>', 'what to look through: fact,pack,pipeline (default: fact)')
    .option('--why', 'say why each one was found')
    .action((words: string[], options: RecallOptions, command: Command) =>
      recall(deps, screenOf(deps, command), words.join(' '), options),
    );
}

async function recall(deps: CliDeps, screen: Screen, words: string, options: RecallOptions): Promise<void> {
  const path = withQuery('/api/v1/memory/search', {
    q: fitIntoUrl(words),
    limit: options.limit ?? DEFAULT_LIMIT,
    category: options.category,
    tag: options.tag,
    kinds: options.kinds,
    explain: options.why ? 1 : undefined,
    caller: options.caller,
  });
  const answer = await withConnection(deps, screen, (connection) => askJson<SearchAnswer>(connection, path));
  await screen.result(answer, () => render(screen, words, answer, deps.now()));
  if (answer.degraded) {
    const why = 'Found by words alone: the embeddings did not answer in time.';
    screen.note(screen.paintNote('dim', why));
  }
}

function fitIntoUrl(words: string): string {
  let text = words.slice(0, MAX_QUERY_IN_URL).toWellFormed();
  while (encodeURIComponent(text).length > MAX_QUERY_IN_URL) {
    text = text.slice(0, text.length * 0.8).toWellFormed();
  }
  return text;
}

function render(screen: Screen, words: string, { results, abstained }: SearchAnswer, nowMs: number): string {
  // Without a word to look for, the newest come first and no score means anything.
  const isSought = words.trim() !== '';
  const nothing = isSought ? 'Nothing found that fits.' : 'No facts.';
  if (results.length === 0) return screen.paint('dim', nothing);
  const fitOf = ({ score }: RecallHit) => (!isSought ? 'newest' : score < CONFIDENT_SCORE ? 'weak' : 'good');
  const hits = results.map((hit) => renderHit(screen, hit, fitOf(hit), nowMs));
  return [...(abstained ? [`${nothing} The nearest there is:`] : []), ...hits].join('\n\n');
}
