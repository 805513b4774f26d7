import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../../errors.ts';
import type { FactPage } from '../../../memory/facts/fact-pages.ts';
import type { FactView } from '../../../memory/facts/read-facts.ts';
import { askJson, withQuery } from '../ask-server.ts';
import { findClient } from '../connect/clients.ts';
import { heldBy } from '../connect/current-connection.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection, ServerAccess } from '../deps.ts';
import { parseCount } from '../terminal/duration.ts';
import { type NoteSection, notesText } from './context-notes.ts';

const DEFAULT_BYTES = 4_000;
const LEAST_BYTES = 400;
const FACTS = '/api/v1/memory/facts';
const SOON_SECONDS = 7 * 86_400;
/** Where people and agents put what should always hold. */
const STANDING_CATEGORIES = ['preferences', 'conventions', 'profile'];
const STANDING = /^(prefer|convention|profile|style|rule|identity|about[-_ ]?me)/i;

interface ContextOptions {
  maxBytes?: number;
  client?: string;
  hook?: boolean;
}

/** `helmdeck context`: what is worth knowing at the start of a conversation, in a few lines. */
export function addContextCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'context',
    'what an agent should know at the start: preferences, this folder, recent, expiring',
    ['context', 'context --max-bytes 2000', 'context --client claude-code --hook'],
  )
    .option('--max-bytes <n>', `at most this much text (default: ${DEFAULT_BYTES})`, parseBytes)
    .option('--client <name>', 'with the address and token that this program was given by "connect"')
    .option('--hook', 'as the answer of a SessionStart hook')
    .action(async (options: ContextOptions, command: Command) => {
      const screen = screenOf(deps, command);
      const to = options.client === undefined ? undefined : await accessOf(deps, options.client);
      const connection = await deps.connect({ quiet: screen.json || options.hook === true, to });
      const done = deps.onInterrupt(() => connection.close());
      try {
        const sections = await worthKnowing(connection, basename(deps.machine.workDir));
        const text = notesText(sections, options.maxBytes ?? DEFAULT_BYTES, deps.now());
        if (options.hook) return await screen.write(`${hookAnswer(text)}\n`);
        await screen.result({ text, bytes: Buffer.byteLength(text) }, () => text);
      } finally {
        await connection.close();
        done();
      }
    });
}

function parseBytes(text: string): number {
  const bytes = parseCount(text);
  if (bytes < LEAST_BYTES) throw new InvalidArgumentError(`Give at least ${LEAST_BYTES}.`);
  return bytes;
}

/** What programs with such hooks understand: the text goes to the model, not to the screen. */
function hookAnswer(text: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } });
}

async function accessOf(deps: CliDeps, name: string): Promise<ServerAccess> {
  const client = findClient(name);
  const held = await heldBy(client, deps.machine);
  if (held) return { url: held.address.split('/api/v1/mcp')[0]!, token: held.token };
  throw new AppError('invalid_input', `${client.title} is not connected.`, {
    reason: 'not_connected',
    hint: `Run "helmdeck connect ${client.name} --write".`,
  });
}

async function worthKnowing(connection: Connection, folder: string): Promise<NoteSection[]> {
  const list = async (query: Record<string, string | number>) =>
    (await askJson<FactPage>(connection, withQuery(FACTS, query))).facts;
  const [recent, expiring, about, ...kept] = await Promise.all([
    list({ limit: 200 }),
    list({ expiring_within: SOON_SECONDS, sort: 'expires', limit: 50 }),
    folder === '' ? [] : list({ q: folder, limit: 20 }),
    ...STANDING_CATEGORIES.map((category) => list({ category, limit: 50 })),
  ]);
  return [
    { title: 'Preferences and conventions', facts: [...kept.flat(), ...recent.filter(isStanding)] },
    { title: `About "${folder}", the folder at hand`, facts: about },
    { title: 'Most recent', facts: recent },
    { title: 'Expiring within a week', facts: expiring },
  ];
}

function isStanding({ key, category, tags }: FactView): boolean {
  return [...key.split('/').slice(0, 2), category, ...tags].some((name) => STANDING.test(name));
}
