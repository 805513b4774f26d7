import type { Check } from '../../surfaces/cli/deps.ts';
import type { LoadedConfig } from '../config/config.ts';
import { connectLocal } from '../process/connect.ts';
import { fail, ok, warn } from './check-result.ts';

const MAX_SKEW_MS = 5_000;

interface ReadyResponse {
  memory: { state: string; message?: string; hint?: string };
}

/** Checks a running server over HTTP: readiness, clock, and rows of the caller that cannot be read. */
export async function checkRunningServer(loaded: LoadedConfig, url: string): Promise<Check[]> {
  const connection = await connectLocal(loaded, url, () => {});
  try {
    const response = await connection.fetch('/readyz');
    const { memory } = (await response.json()) as ReadyResponse;
    const checks = [ok('Server', `Running at ${url}.`), readiness(memory), clock(response)];
    if (memory.state === 'on') checks.push(await readability(await connection.fetch('/api/v1/memory/stats')));
    return checks;
  } catch {
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

async function readability(response: Response): Promise<Check> {
  if (!response.ok)
    return warn(
      'Your memory',
      `The server responded with status ${response.status}.`,
      'Check HELMDECK_TOKEN.',
    );
  const stats = (await response.json()) as { unreadable_rows: number; scope: string };
  if (stats.unreadable_rows === 0) return ok('Your memory', `All rows of ${stats.scope} can be read.`);
  return fail(
    'Your memory',
    `${stats.unreadable_rows} rows of ${stats.scope} cannot be read.`,
    'Restore a backup, or stop the server and run "helmdeck doctor --purge-unreadable".',
  );
}
