import { AppError } from '../../errors.ts';
import type { Check, Connection } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import type { Config } from '../config/config.ts';
import { keyringOf } from '../open-memory.ts';
import { fail, ok, warn } from './check-result.ts';

const MAX_SKEW_MS = 5_000;

interface ReadyResponse {
  memory: { state: string; message?: string; hint?: string };
}

interface StatsResponse {
  scope: string;
  counts: { proposal?: number; quarantine?: number };
  unreadable_rows: number;
  embeddings: { indexed: number; waiting: number; problem?: string } | null;
  key_id: string;
  key_ephemeral: boolean;
  rotation: { total: number; done: number; unreadable: number; finished: boolean };
}

/**
 * Checks a running server over HTTP: readiness, clock, rows of the caller that cannot be read, and its keys, which are
 * compared with `config` if that is how it was started.
 */
export async function checkRunningServer(
  connection: Connection,
  url: string,
  config?: Config,
): Promise<Check[]> {
  try {
    const response = await connection.fetch('/readyz');
    const { memory } = (await response.json()) as ReadyResponse;
    const checks = [ok('Server', `Running at ${url}.`), readiness(memory), clock(response)];
    if (memory.state === 'on') {
      checks.push(...(await clockTrust(connection)));
      const answer = await connection.fetch('/api/v1/memory/stats');
      if (!answer.ok) return [...checks, await noStats(answer)];
      const stats = (await answer.json()) as StatsResponse;
      checks.push(readability(stats), ...inbox(stats), ...backlog(stats), ...serverKeys(stats, config));
    }
    return checks;
  } catch (thrown) {
    if (thrown instanceof AppError) return [fail('Server', thrown.message, thrown.hint)];
    return [
      fail('Server', `The server at ${url} does not respond correctly.`, 'Check its log and restart it.'),
    ];
  } finally {
    await connection.close();
  }
}

function readiness(memory: ReadyResponse['memory']): Check {
  if (memory.state === 'on') return ok('Memory', 'On; a test write reached the disk.');
  if (memory.state === 'disabled')
    return warn('Memory', 'Switched off (HELMDECK_MEMORY=off).', 'Set HELMDECK_MEMORY=on.');
  return fail('Memory', `Off: ${memory.message}`, memory.hint ?? 'Check the log of the server.');
}

function clock(response: Response): Check {
  const serverMs = Date.parse(response.headers.get('date') ?? '');
  const skewMs = Math.abs(serverMs - Date.now());
  if (Number.isNaN(skewMs) || skewMs <= MAX_SKEW_MS) return ok('Clock', 'Agrees with the server.');
  const seconds = Math.round(skewMs / 1000);
  return warn('Clock', `The server's clock differs by ${seconds} seconds.`, 'Enable time synchronisation.');
}

/** Tokens that are not an admin's may not ask. */
async function clockTrust(connection: Connection): Promise<Check[]> {
  const answer = await connection.fetch('/api/v1/clock');
  if (!answer.ok || ((await answer.json()) as { trusted: boolean }).trusted) return [];
  const message = 'The clock of the server leapt: what expired is hidden, but not deleted.';
  return [
    warn('Expiry', message, 'If its time is right now, run "helmdeck clock --confirm", or wait an hour.'),
  ];
}

async function noStats(answer: Response): Promise<Check> {
  const { message, hint } = (await answer.json().catch(() => ({}))) as { message?: string; hint?: string };
  if (answer.status === 503 && message !== undefined)
    return fail('Your memory', message, hint ?? 'Check the log of the server.');
  return warn('Your memory', `The server responded with status ${answer.status}.`, 'Check HELMDECK_TOKEN.');
}

function readability(stats: StatsResponse): Check {
  if (stats.unreadable_rows === 0) return ok('Your memory', `All rows of ${stats.scope} can be read.`);
  return fail(
    'Your memory',
    `${counted(stats.unreadable_rows, 'row')} of ${stats.scope} cannot be read.`,
    'Restore a backup, or stop the server and run "helmdeck doctor --purge-unreadable".',
  );
}

/** Texts that wait longer than 14 days are gone, so it is worth a word. */
function inbox({ counts: { proposal = 0, quarantine = 0 } }: StatsResponse): Check[] {
  if (proposal + quarantine === 0) return [];
  const held = quarantine === 0 ? '' : `, ${quarantine} of them quarantined`;
  return [
    ok('Inbox', `${counted(proposal + quarantine, 'text')} to decide on${held}; see "helmdeck inbox".`),
  ];
}

/** The caller's facts that cannot be found by meaning yet. */
function backlog({ embeddings }: StatsResponse): Check[] {
  if (!embeddings || embeddings.waiting === 0) return [];
  const { indexed, waiting, problem } = embeddings;
  const message = `${indexed} of ${counted(indexed + waiting, 'fact')} have a vector; until then the others are found by words alone.`;
  return [
    problem === undefined ? ok('Vectors', message) : warn('Vectors', `${message} ${problem}`, WAITING_FIX),
  ];
}

const WAITING_FIX = 'The server tries again by itself; its log has the cause.';

/** The keys of the running process, which may differ from the settings and from those of other nodes. */
function serverKeys({ key_id, key_ephemeral, rotation }: StatsResponse, config?: Config): Check[] {
  const name = 'Server keys';
  const checks: Check[] = [];
  const configured = config?.memoryKey && keyringOf(config).currentId.toString('hex');
  if (!key_ephemeral && configured !== undefined && key_id !== configured)
    checks.push(
      warn(
        name,
        `The server runs with the key ${key_id}, and HELMDECK_MEMORY_KEY is ${configured}.`,
        'Restart the server, so that it reads its settings again.',
      ),
    );
  if (rotation.unreadable > 0)
    checks.push(
      fail(
        name,
        `The server cannot open ${counted(rotation.unreadable, 'namespace')} with its keys.`,
        'Add every earlier key to HELMDECK_MEMORY_KEY_PREVIOUS and restart it.',
      ),
    );
  if (!rotation.finished)
    checks.push(
      warn(
        name,
        `The server is still re-wrapping data keys: ${rotation.done} of ${rotation.total}.`,
        'Keep HELMDECK_MEMORY_KEY_PREVIOUS until it has finished; check again in a minute.',
      ),
    );
  return checks;
}
