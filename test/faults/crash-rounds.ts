import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildServer, startChild } from './child-server.ts';

/** What the writers know of a key: what was acknowledged last, and what was on its way when the server died. */
interface Known {
  acknowledged: string | undefined;
  underWay?: { value: string | undefined };
}

export interface CrashResult {
  rounds: number;
  acknowledged: number;
  problems: string[];
}

const WRITERS = 8;
const KEYS_PER_WRITER = 5;
/** A kill proves something once something was acknowledged; every fifth comes at once, whatever was. */
const ACKNOWLEDGED_BEFORE_KILL = 16;
const AT_ONCE = 5;

/** Writes, kills the server at a random moment, starts it again, checks every acknowledged write; many times over. */
export async function crashRounds(
  db: string,
  rounds: number,
  progress?: (round: number) => void,
): Promise<CrashResult> {
  const known = new Map<string, Known>();
  const problems: string[] = [];
  let acknowledged = 0;
  let server = await startChild({ HELMDECK_DB: db });
  for (let round = 1; round <= rounds; round++) {
    const running = server;
    const noted = () => acknowledged++;
    // Rows that come alone take a shorter way to the disk than those that come together.
    const isLone = round % 2 === 0;
    const writers = isLone
      ? [writeNew(running, round, known, noted)]
      : Array.from({ length: WRITERS }, (_, writer) => write(running, writer, round, known, noted));
    const before = acknowledged;
    await sleep(randomInt(20, 250));
    // However slow the machine: as long as the server answers, it is not killed for nothing.
    const enough = () => acknowledged - before >= ACKNOWLEDGED_BEFORE_KILL;
    for (let waited = 0; round % AT_ONCE !== 0 && !enough() && waited < 1_000; waited++)
      await sleep(randomInt(1, 20));
    await running.kill();
    await Promise.all(writers);
    server = await startChild({ HELMDECK_DB: db });
    problems.push(...(await check(server, round, known)));
    progress?.(round);
  }
  await server.stop();
  return { rounds, acknowledged, problems };
}

/** Stores and forgets a few keys without pause until the server is gone. */
async function write(
  server: ChildServer,
  writer: number,
  round: number,
  known: Map<string, Known>,
  noted: () => void,
) {
  for (let count = 0; ; count++) {
    const key = `w${writer}/k${count % KEYS_PER_WRITER}`;
    const value = count % 7 === 6 ? undefined : `round ${round} write ${count} `.repeat(1 + (count % 40));
    if (!(await change(server, known, key, value))) return;
    noted();
  }
}

/** Stores one new key after another, and forgets or changes one of the last now and then. */
async function writeNew(server: ChildServer, round: number, known: Map<string, Known>, noted: () => void) {
  for (const key of known.keys()) if (key.startsWith('new/')) known.delete(key);
  for (let count = 0; ; count++) {
    const isChange = count > 20 && count % 20 < 2;
    const key = `new/${round}/${isChange ? count - 5 : count}`;
    const value = isChange && count % 20 === 0 ? undefined : `round ${round} write ${count}`;
    if (!(await change(server, known, key, value))) return;
    noted();
  }
}

/** Stores or forgets a key and notes the acknowledgement; false once the server is gone. */
async function change(
  server: ChildServer,
  known: Map<string, Known>,
  key: string,
  value: string | undefined,
): Promise<boolean> {
  const state: Known = known.get(key) ?? { acknowledged: undefined };
  known.set(key, state);
  state.underWay = { value: value?.trim() };
  try {
    const path = `/api/v1/memory/facts/${encodeURIComponent(key)}`;
    const { status } = value
      ? await server.call('crash', 'POST', '/api/v1/memory/store', { key, value })
      : await server.call('crash', 'DELETE', path);
    if (status !== 200) throw new Error(`status ${status}`);
  } catch {
    return false;
  }
  state.acknowledged = state.underWay.value;
  state.underWay = undefined;
  return true;
}

async function check(server: ChildServer, round: number, known: Map<string, Known>): Promise<string[]> {
  const problems: string[] = [];
  for (const [key, state] of known) {
    const { status, json } = await server.call(
      'crash',
      'GET',
      `/api/v1/memory/facts/${encodeURIComponent(key)}`,
    );
    const found = status === 200 ? json.value : undefined;
    const allowed = [state.acknowledged, ...(state.underWay ? [state.underWay.value] : [])];
    if ((status !== 200 && status !== 404) || !allowed.includes(found)) {
      problems.push(
        `round ${round}: ${key} is ${status} ${found?.slice(0, 40)}, acknowledged was ${state.acknowledged?.slice(0, 40)}`,
      );
    }
    state.acknowledged = found;
    state.underWay = undefined;
  }
  const { json } = await server.call('crash', 'GET', '/api/v1/memory/stats');
  if (json.unreadable_rows !== 0)
    problems.push(`round ${round}: ${json.unreadable_rows} rows cannot be read`);
  return problems;
}
