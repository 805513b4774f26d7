import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import type { HarvestAnswer } from '../../../memory/harvest/harvest.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { counted } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';
import { transcriptTurns } from './transcript.ts';

interface HarvestOptions {
  dryRun?: boolean;
  project?: string;
}

/** A request has at most 1 MiB, so a long conversation takes several. */
const MAX_REQUEST_CHARS = 300_000;
const MAX_TURN_CHARS = 100_000;

/** `helmdeck harvest`. */
export function addHarvestCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'harvest <transcript>',
    'propose what a conversation says that is worth remembering (- reads stdin)',
    [
      'harvest ~/.claude/projects/-home-ada-shop/1b4e28ba.jsonl --dry-run',
      'harvest conversation.jsonl --project shop',
    ],
  )
    .option('--dry-run', 'only show what would be proposed')
    .option('--project <name>', 'what the conversation is about')
    .action((path: string, options: HarvestOptions, command: Command) =>
      harvestTranscript(deps, screenOf(deps, command), path, options),
    );
}

async function harvestTranscript(deps: CliDeps, screen: Screen, path: string, options: HarvestOptions) {
  const turns = transcriptTurns(path === '-' ? await text(deps.terminal.in) : await readFile(path, 'utf8'));
  if (turns.length === 0)
    throw new AppError('invalid_input', 'There are no turns of a conversation in this file.', {
      reason: 'usage',
      hint: 'Transcripts of Claude Code, Codex and Gemini CLI can be read, and JSON Lines of {"role", "text"}.',
    });
  const { dryRun = false, project } = options;
  const sessionId = path === '-' ? undefined : basename(path).slice(0, 200);
  const answer = await withConnection(deps, screen, async (connection) => {
    const all: HarvestAnswer = { proposals: [], seen: 0 };
    for (const part of partsOf(turns)) {
      const body = { turns: part, project, session_id: sessionId, dry_run: dryRun };
      const { proposals, seen } = await callServer(connection, 'POST /api/v1/memory/harvest', { body });
      all.proposals.push(...proposals);
      all.seen += seen;
    }
    return all;
  });
  await screen.result(answer, () => describe(answer, dryRun));
}

function* partsOf<T extends { role: string; text: string }>(turns: readonly T[]): Generator<T[]> {
  let part: T[] = [];
  let chars = 0;
  for (const turn of turns) {
    const short = { ...turn, text: turn.text.slice(0, MAX_TURN_CHARS).toWellFormed() };
    if (chars + short.text.length > MAX_REQUEST_CHARS && part.length > 0) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(short);
    chars += short.text.length;
  }
  if (part.length > 0) yield part;
}

function describe({ proposals, seen }: HarvestAnswer, dryRun: boolean): string {
  const made = proposals.filter(({ folded }) => !folded).length;
  const read = `Read ${counted(seen, 'turn')}`;
  if (proposals.length === 0) return `${read}: nothing new that is worth remembering.`;
  const lines = proposals.map(
    ({ key, value, folded }) => `  ${printable(key)}: ${printable(value)}${folded ? ' (waits already)' : ''}`,
  );
  const summary = dryRun
    ? `${read}; would propose ${proposals.length}:`
    : `${read}; ${counted(made, 'new proposal')} in the inbox ("helmdeck inbox"):`;
  return [summary, ...lines].join('\n');
}
