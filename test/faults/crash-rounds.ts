import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildServer, startChild } from './child-server.ts';

/** Expected state of a key: the last acknowledged value, and the write that was in flight when the server died. */
interface KeyState {
  acknowledged: string | undefined;
  inFlight?: { value: string | undefined };
}

export interface CrashResult {
  rounds: number;
  acknowledged: number;
  problems: string[];
}

const WRITERS = 8;
const KEYS_PER_WRITER = 5;
/** A kill is a useful test once writes were acknowledged; every fifth round kills without waiting for that. */
const ACKNOWLEDGED_BEFORE_KILL = 16;
const EARLY_KILL_EVERY = 5;

/** In each round: writes, kills the server at a random moment, restarts it and checks every acknowledged write. */
export async function crashRounds(
  db: string,
  rounds: number,
  progress?: (round: number) => void,
): Promise<CrashResult> {
  const known = new Map<string, KeyState>();
  const problems: string[] = [];
  let acknowledged = 0;
  let server = await startChild({ HELMDECK_DB: db });
  for (let round = 1; round <= rounds; round++) {
    const running = server;
    const onAcknowledged = () => acknowledged++;
    // Odd rounds: eight clients change a few keys each. Even rounds: a single client stores new keys.
    const isSingleClient = round % 2 === 0;
    const writers = isSingleClient
      ? [storeNewKeys(running, round, known, onAcknowledged)]
      : Array.from({ length: WRITERS }, (_, writer) =>
          changeFewKeys(running, writer, round, known, onAcknowledged),
        );
    const before = acknowledged;
    await sleep(randomInt(20, 250));
    // On a slow machine, wait for enough acknowledgements before the kill.
    const enough = () => acknowledged - before >= ACKNOWLEDGED_BEFORE_KILL;
    for (let waited = 0; round % EARLY_KILL_EVERY !== 0 && !enough() && waited < 1_000; waited++)
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

/** Stores and forgets a few keys without pause until the server is dead. */
async function changeFewKeys(
  server: ChildServer,
  writer: number,
  round: number,
  known: Map<string, KeyState>,
  onAcknowledged: () => void,
) {
  for (let count = 0; ; count++) {
    const key = `w${writer}/k${count % KEYS_PER_WRITER}`;
    const value = count % 7 === 6 ? undefined : `round ${round} write ${count} `.repeat(1 + (count % 40));
    if (!(await change(server, known, key, value))) return;
    onAcknowledged();
  }
}

/** Stores one new key after another; occasionally forgets or changes a recent one. */
async function storeNewKeys(
  server: ChildServer,
  round: number,
  known: Map<string, KeyState>,
  onAcknowledged: () => void,
) {
  for (const key of known.keys()) if (key.startsWith('new/')) known.delete(key);
  for (let count = 0; ; count++) {
    const isChange = count > 20 && count % 20 < 2;
    const key = `new/${round}/${isChange ? count - 5 : count}`;
    const value = isChange && count % 20 === 0 ? undefined : `round ${round} write ${count}`;
    if (!(await change(server, known, key, value))) return;
    onAcknowledged();
  }
}

/** Stores or forgets a key and records the acknowledgement; returns false once the server is dead. */
async function change(
  server: ChildServer,
  known: Map<string, KeyState>,
  key: string,
  value: string | undefined,
): Promise<boolean> {
  const state: KeyState = known.get(key) ?? { acknowledged: undefined };
  known.set(key, state);
  state.inFlight = { value: value?.trim() };
  try {
    const path = `/api/v1/memory/facts/${encodeURIComponent(key)}`;
    const { status } = value
      ? await server.call('crash', 'POST', '/api/v1/memory/store', { key, value })
      : await server.call('crash', 'DELETE', path);
    if (status !== 200) throw new Error(`status ${status}`);
  } catch {
    return false;
  }
  state.acknowledged = state.inFlight.value;
  state.inFlight = undefined;
  return true;
}

async function check(server: ChildServer, round: number, known: Map<string, KeyState>): Promise<string[]> {
  const problems: string[] = [];
  for (const [key, state] of known) {
    const { status, json } = await server.call(
      'crash',
      'GET',
      `/api/v1/memory/facts/${encodeURIComponent(key)}`,
    );
    const found = status === 200 ? json.value : undefined;
    const allowed = [state.acknowledged, ...(state.inFlight ? [state.inFlight.value] : [])];
    if ((status !== 200 && status !== 404) || !allowed.includes(found)) {
      problems.push(
        `round ${round}: ${key} is ${status} ${found?.slice(0, 40)}, acknowledged was ${state.acknowledged?.slice(0, 40)}`,
      );
    }
    state.acknowledged = found;
    state.inFlight = undefined;
  }
  const { json } = await server.call('crash', 'GET', '/api/v1/memory/stats');
  if (json.unreadable_rows !== 0)
    problems.push(`round ${round}: ${json.unreadable_rows} rows cannot be read`);
  return problems;
}
