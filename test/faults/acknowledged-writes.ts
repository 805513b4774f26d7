import type { ChildServer } from './child-server.ts';

/** Expected state of a key: the last acknowledged value, and the write that was in flight when the server died. */
interface KeyState {
  acknowledged: string | undefined;
  inFlight?: { value: string | undefined };
}

const WRITERS = 8;
const KEYS_PER_WRITER = 5;

/** Writes to a server that dies at some moment, and checks afterwards that every acknowledged write is there. */
export function trackWrites() {
  const known = new Map<string, KeyState>();
  let acknowledged = 0;

  /** Stores or forgets a key and records the acknowledgement; false once the server is dead or refuses. */
  async function change(server: ChildServer, key: string, value: string | undefined): Promise<boolean> {
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
    acknowledged++;
    return true;
  }

  /** Stores and forgets a few keys without pause. */
  async function changeFewKeys(server: ChildServer, writer: number, round: number): Promise<void> {
    for (let count = 0; ; count++) {
      const key = `w${writer}/k${count % KEYS_PER_WRITER}`;
      const value = count % 7 === 6 ? undefined : `round ${round} write ${count} `.repeat(1 + (count % 40));
      if (!(await change(server, key, value))) return;
    }
  }

  /** Stores one new key after another; occasionally forgets or changes a recent one. */
  async function storeNewKeys(server: ChildServer, round: number): Promise<void> {
    for (const key of known.keys()) if (key.startsWith('new/')) known.delete(key);
    for (let count = 0; ; count++) {
      const isChange = count > 20 && count % 20 < 2;
      const key = `new/${round}/${isChange ? count - 5 : count}`;
      const value = isChange && count % 20 === 0 ? undefined : `round ${round} write ${count}`;
      if (!(await change(server, key, value))) return;
    }
  }

  return {
    acknowledged: () => acknowledged,

    /** Writes until the server is dead or refuses. Odd rounds: eight clients change a few keys each; even rounds: one client stores new keys. */
    async writeUntilDead(server: ChildServer, round: number): Promise<void> {
      if (round % 2 === 0) return storeNewKeys(server, round);
      const writers = Array.from({ length: WRITERS }, (_, writer) => changeFewKeys(server, writer, round));
      await Promise.all(writers);
    },

    /** Compares every key with its last acknowledged value; returns what differs. */
    async check(server: ChildServer, round: number): Promise<string[]> {
      const problems: string[] = [];
      for (const [key, state] of known) {
        const path = `/api/v1/memory/facts/${encodeURIComponent(key)}`;
        const { status, json } = await server.call('crash', 'GET', path);
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
    },
  };
}
