import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../../../errors.ts';
import type { FactPage } from '../../../memory/facts/fact-pages.ts';
import type { FactView } from '../../../memory/facts/read-facts.ts';
import { CLIENTS, findClient } from '../connect/clients.ts';
import { readCurrentConnection } from '../connect/current-connection.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection, ServerAccess } from '../deps.ts';
import { requestJson, withConnectionTo, withQuery } from '../server-request.ts';
import { parseCount } from '../terminal/duration.ts';
import { type NoteSection, notesText } from './context-notes.ts';

const DEFAULT_BYTES = 4_000;
const MIN_BYTES = 400;
const FACTS = '/api/v1/memory/facts';
/** A client waits for its start hooks: a server that hangs must not hold it up. */
const TIME_LIMIT_MS = 2_000;
const EXPIRING_WITHIN_SECONDS = 7 * 86_400;
/** Categories in which people and agents store what applies to every conversation. */
const STANDING_CATEGORIES = ['preferences', 'conventions', 'profile'];
const STANDING = /^(prefer|convention|profile|style|rule|identity|about[-_ ]?me)/i;

interface ContextOptions {
  maxBytes?: number;
  client?: string;
  hook?: boolean;
}

/** `helmdeck context`: the facts that matter at the start of a conversation, in a few lines. */
export function addContextCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'context',
    'print what an agent should know at the start: preferences, this folder, recent, expiring',
    ['context', 'context --max-bytes 2000', 'context --client claude-code --hook'],
  )
    .option('--max-bytes <n>', `maximum length of the text (default: ${DEFAULT_BYTES})`, parseBytes)
    .addOption(clientOption())
    .option('--hook', 'print the output of a SessionStart hook')
    .action(async (options: ContextOptions, command: Command) => {
      const screen = screenOf(deps, command);
      const to = options.client === undefined ? undefined : await accessOf(deps, options.client);
      const quiet = screen.json || options.hook === true;
      const limit = AbortSignal.timeout(TIME_LIMIT_MS);
      try {
        await withConnectionTo(deps, { quiet, to }, async (connection) => {
          const sections = await loadSections(connection, basename(deps.machine.workDir), limit);
          const text = notesText(sections, options.maxBytes ?? DEFAULT_BYTES, deps.now());
          if (options.hook) return screen.write(`${hookOutput(text)}\n`);
          return screen.result({ text, bytes: Buffer.byteLength(text) }, () => text);
        });
      } catch (thrown) {
        if (!limit.aborted) throw thrown;
        if (options.hook) return; // the conversation begins without notes
        throw new AppError('timeout', `The server did not answer within ${TIME_LIMIT_MS / 1000} seconds.`, {
          hint: 'Run "helmdeck doctor" on the machine of the server.',
          cause: thrown,
        });
      }
    });
}

function clientOption(): Option {
  const option = new Option(
    '--client <name>',
    'use the address and token that "connect" gave to this program',
  );
  option.argChoices = CLIENTS.map(({ name }) => name); // for completion; `findClient` reports an unknown name
  return option;
}

function parseBytes(text: string): number {
  const bytes = parseCount(text);
  if (bytes < MIN_BYTES) throw new InvalidArgumentError(`It must be at least ${MIN_BYTES}.`);
  return bytes;
}

/** The output format of SessionStart hooks: the text goes to the model, not to the screen. */
function hookOutput(text: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } });
}

async function accessOf(deps: CliDeps, name: string): Promise<ServerAccess> {
  const client = findClient(name);
  const current = await readCurrentConnection(client, deps.machine);
  if (current) {
    const url = current.address.split('/api/v1/mcp')[0]!;
    return { url, token: current.token, addressFrom: 'client' };
  }
  throw new AppError('invalid_input', `${client.title} is not connected.`, {
    reason: 'not_connected',
    hint: `Run "helmdeck connect ${client.name} --write".`,
  });
}

async function loadSections(
  connection: Connection,
  folder: string,
  signal: AbortSignal,
): Promise<NoteSection[]> {
  const list = async (query: Record<string, string | number>) =>
    (await requestJson<FactPage>(connection, withQuery(FACTS, query), { signal })).facts;
  const [recent, expiring, about, ...standing] = await Promise.all([
    list({ limit: 200 }),
    list({ expiring_within: EXPIRING_WITHIN_SECONDS, sort: 'expires', limit: 50 }),
    folder === '' ? [] : list({ q: folder, limit: 20 }),
    ...STANDING_CATEGORIES.map((category) => list({ category, limit: 50 })),
  ]);
  return [
    { title: 'Preferences and conventions', facts: [...standing.flat(), ...recent.filter(isStanding)] },
    { title: `About "${folder}", the current folder`, facts: about },
    { title: 'Most recent', facts: recent },
    { title: 'Expiring within a week', facts: expiring },
  ];
}

function isStanding({ key, category, tags }: FactView): boolean {
  return [...key.split('/').slice(0, 2), category, ...tags].some((name) => STANDING.test(name));
}
