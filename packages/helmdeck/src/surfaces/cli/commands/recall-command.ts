import type { Command } from 'commander';
import { defineCommand, screenOf, withCaller, withSpace } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { requestJson, withConnection, withQuery } from '../server-request.ts';
import { parseCount } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { type RecallHit, renderHit } from './recall-hit.ts';

/** About a screenful. */
const DEFAULT_LIMIT = 10;
/** Longer queries are cut to fit in a URL; the server reads only the beginning anyway. */
const MAX_QUERY_CHARS = 12_000;

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
  project?: string;
  kinds?: string;
  why?: boolean;
  caller?: string;
  space?: string;
  spaces?: string;
}

/** `helmdeck recall`: searches facts from a few words. */
export function addRecallCommand(program: Command, deps: CliDeps): void {
  const command = defineCommand(program, 'recall <words...>', 'find facts from a few words, best first', [
    'recall what was that about konflux deploys',
    'recall database port --category ops --limit 3',
    'recall "who is on call" --why',
    'recall deploys --spaces mine,platform',
  ]);
  withSpace(withCaller(command))
    .option('--spaces <list>', 'search several: mine and names of spaces, or * for all')
    .option('--limit <n>', `at most this many, up to 100 (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--category <name>', 'only this category')
    .option('--tag <tag>', 'only facts with this tag')
    .option('--project <name>', 'facts about this project first')
    .option('--kinds <list>', 'what to search: fact,pack,pipeline (default: fact)')
    .option('--why', 'explain why each hit was found')
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
    project: options.project,
    kinds: options.kinds,
    explain: options.why ? 1 : undefined,
    caller: options.caller,
    space: options.space,
    spaces: options.spaces,
  });
  const answer = await withConnection(deps, screen, (connection) =>
    requestJson<SearchAnswer>(connection, path),
  );
  await screen.result(answer, () => render(screen, words, answer, deps.now()));
  if (answer.degraded) {
    const why = 'Searched by words only: the embeddings did not respond in time.';
    screen.note(screen.paintNote('dim', why));
  }
}

function fitIntoUrl(words: string): string {
  let text = words.slice(0, MAX_QUERY_CHARS).toWellFormed();
  while (encodeURIComponent(text).length > MAX_QUERY_CHARS) {
    text = text.slice(0, text.length * 0.8).toWellFormed();
  }
  return text;
}

function render(screen: Screen, words: string, { results, abstained }: SearchAnswer, nowMs: number): string {
  // Without words the newest facts are listed, and scores mean nothing.
  const hasWords = words.trim() !== '';
  const nothing = hasWords ? 'Nothing found.' : 'No facts.';
  if (results.length === 0) return screen.paint('dim', nothing);
  const fitOf = ({ confident }: RecallHit) => (!hasWords ? 'newest' : confident ? 'good' : 'weak');
  const hits = results.map((hit) => renderHit(screen, hit, fitOf(hit), nowMs));
  return [...(abstained ? [`${nothing} The closest matches:`] : []), ...hits].join('\n\n');
}
