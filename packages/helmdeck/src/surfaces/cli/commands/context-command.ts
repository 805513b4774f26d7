import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError, ERRORS, toAppError } from '../../../errors.ts';
import { CLIENTS, findClient } from '../connect/clients.ts';
import { readCurrentConnection } from '../connect/current-connection.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, ServerAccess } from '../deps.ts';
import { type HookOutcome, openHookState } from '../hook/hook-state.ts';
import { callServer, withConnectionTo } from '../server-request.ts';
import { parseCount } from '../terminal/duration.ts';

const DEFAULT_BYTES = 4_000;
const MIN_BYTES = 400;
/** A client waits for its start hooks: a server that hangs must not hold it up. */
const TIME_LIMIT_MS = 2_000;

interface ContextOptions {
  maxBytes?: number;
  client?: string;
  hook?: boolean;
  spaces?: string;
}

/** `helmdeck context`: the facts that matter at the start of a conversation, in a few lines. */
export function addContextCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'context',
    'print what an agent should know at the start: preferences, this folder, recent, expiring',
    [
      'context',
      'context --max-bytes 2000',
      'context --spaces mine,platform',
      'context --client claude-code --hook',
    ],
  )
    .option('--max-bytes <n>', `maximum length of the text (default: ${DEFAULT_BYTES})`, parseBytes)
    .addOption(clientOption())
    .option('--spaces <list>', 'from several memories: mine and names of spaces, or * for all')
    .option('--hook', 'print the output of a SessionStart hook')
    .action(async (options: ContextOptions, command: Command) => {
      const screen = screenOf(deps, command);
      const to = options.client === undefined ? undefined : await accessOf(deps, options.client);
      const quiet = screen.json || options.hook === true;
      const limit = AbortSignal.timeout(TIME_LIMIT_MS);
      try {
        await withConnectionTo(deps, { quiet, to }, async (connection) => {
          const about = { folder: basename(deps.machine.workDir), max_bytes: options.maxBytes };
          const notesFrom = (spaces: string | undefined) =>
            callServer(connection, 'GET /api/v1/memory/start-notes', {
              query: { ...about, spaces },
              signal: limit,
            });
          const { text } = await notesFrom(options.spaces).catch((thrown: unknown) => {
            // A conversation begins without what one no longer has access to.
            if (options.hook && thrown instanceof AppError && thrown.code === 'unknown_space')
              return notesFrom(undefined);
            throw thrown;
          });
          if (options.hook) {
            saveRun(deps, options.client, 'said');
            return screen.write(`${hookOutput(text, options.client)}\n`);
          }
          return screen.result({ text, bytes: Buffer.byteLength(text) }, () => text);
        });
      } catch (thrown) {
        if (options.hook) saveRun(deps, options.client, outcomeOf(thrown));
        if (!limit.aborted) throw thrown;
        if (options.hook) return; // the conversation begins without notes
        throw new AppError('timeout', `The server did not answer within ${TIME_LIMIT_MS / 1000} seconds.`, {
          hint: 'Run "helmdeck doctor" on the machine of the server.',
          cause: thrown,
        });
      }
    });
}

/** For `connect --status`, which tells when hooks last ran. */
function saveRun({ machine, now }: CliDeps, client: string | undefined, outcome: HookOutcome): void {
  if (client === undefined) return;
  const run = { event: 'SessionStart', at: new Date(now()).toISOString(), outcome };
  openHookState(machine.stateDir, now()).saveLastRun(client, run);
}

const outcomeOf = (thrown: unknown): HookOutcome =>
  [401, 403].includes(ERRORS[toAppError(thrown).code].http) ? 'refused' : 'unreachable';

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
function hookOutput(text: string, client: string | undefined): string {
  // Copilot CLI ignores the shape that the others read.
  if (client === 'copilot-cli') return JSON.stringify({ additionalContext: text });
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
