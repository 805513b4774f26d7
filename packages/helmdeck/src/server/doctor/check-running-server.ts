import type { Check } from '../../surfaces/cli/deps.ts';
import type { LoadedConfig } from '../config/config.ts';
import { connect } from '../process/connect.ts';
import { fail, ok, warn } from './check-result.ts';

const MAX_SKEW_MS = 5_000;

interface Ready {
  memory: { state: string; message?: string; hint?: string };
}

/** Asks a running server how it is. */
export async function checkRunningServer(loaded: LoadedConfig, url: string): Promise<Check[]> {
  // The one of this data folder, whatever HELMDECK_URL says.
  const local = { ...loaded, config: { ...loaded.config, url: undefined } };
  const connection = await connect(local, () => {});
  try {
    const response = await connection.fetch('/readyz');
    const { memory } = (await response.json()) as Ready;
    const checks = [ok('Server', `Running at ${url}.`), readiness(memory), clock(response)];
    if (memory.state === 'on') checks.push(await readability(await connection.fetch('/api/v1/memory/stats')));
    return checks;
  } catch {
    return [
      fail('Server', `The server at ${url} does not answer properly.`, 'Look into its log; restart it.'),
    ];
  } finally {
    await connection.close();
  }
}

function readiness(memory: Ready['memory']): Check {
  if (memory.state === 'on') return ok('Memory', 'On; a test write reached the disk.');
  if (memory.state === 'disabled')
    return warn('Memory', 'Switched off on purpose.', 'Set HELMDECK_MEMORY=on.');
  return fail('Memory', `Off: ${memory.message}`, memory.hint ?? 'Look into the log of the server.');
}

function clock(response: Response): Check {
  const theirs = Date.parse(response.headers.get('date') ?? '');
  const skewMs = Math.abs(theirs - Date.now());
  if (Number.isNaN(skewMs) || skewMs <= MAX_SKEW_MS) return ok('Clock', 'Agrees with the server.');
  const seconds = Math.round(skewMs / 1000);
  return warn(
    'Clock',
    `The server's clock differs by ${seconds} seconds.`,
    'Switch on time synchronisation.',
  );
}

async function readability(response: Response): Promise<Check> {
  if (!response.ok)
    return warn('Your memory', `The server answered ${response.status} for it.`, 'Check HELMDECK_TOKEN.');
  const stats = (await response.json()) as { unreadable_rows: number; scope: string };
  if (stats.unreadable_rows === 0) return ok('Your memory', `Everything of ${stats.scope} can be read.`);
  return fail(
    'Your memory',
    `${stats.unreadable_rows} rows of ${stats.scope} cannot be read.`,
    'Restore a backup, or stop the server and run "helmdeck doctor --purge-unreadable".',
  );
}
