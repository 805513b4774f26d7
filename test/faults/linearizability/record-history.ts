import { randomInt } from 'node:crypto';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/index.ts';
import { findViolation, type Operation } from './check-history.ts';

export interface LinearizabilityResult {
  operations: number;
  keys: number;
  /** For each key whose history is not linearizable, the operations around the place. */
  violations: string[][];
}

const CLIENTS = 8;
const KEYS_AT_ONCE = 3;
const OPERATIONS_PER_CLIENT = 12;

/**
 * Runs concurrent stores (some with `if_version`), reads and deletes of few keys for a while, on as many nodes as given,
 * and checks the history of every key.
 */
export async function checkLinearizability(
  db: string,
  nodes: number,
  forMs: number,
): Promise<LinearizabilityResult> {
  const env = { HELMDECK_DB: db, HELMDECK_MEMORY_KEY: 'a'.repeat(64), HELMDECK_RATE_LIMIT: 'off' };
  const servers: TestServer[] = [];
  const result: LinearizabilityResult = { operations: 0, keys: 0, violations: [] };
  try {
    for (let node = 0; node < nodes; node++) servers.push(await testServer({ env }));
    const endMs = performance.now() + forMs;
    for (let round = 0; performance.now() < endMs; round++) {
      const histories = new Map<string, Operation[]>();
      const client = async (number: number) => {
        for (let count = 0; count < OPERATIONS_PER_CLIENT; count++) {
          const key = `r${round}/k${randomInt(KEYS_AT_ONCE)}`;
          const operation = await operate(servers[number % nodes]!, key, `${number}.${count}`);
          histories.set(key, [...(histories.get(key) ?? []), operation]);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      for (const history of histories.values()) {
        result.operations += history.length;
        result.keys++;
        const violation = findViolation(history);
        if (violation) result.violations.push(violation);
      }
    }
    return result;
  } finally {
    for (const server of servers) await server.close();
  }
}

interface FactAnswer {
  value?: string;
  version?: number;
  created?: boolean;
  deleted?: number;
}

async function operate(server: TestServer, key: string, value: string): Promise<Operation> {
  const path = `/api/v1/memory/facts/${key}`;
  const send = async (method: string, at: string, body?: object) => {
    const calledAt = performance.now();
    const answer = await server.call('ada', method, at, body);
    const json = (await answer.json()) as FactAnswer;
    return { calledAt, returnedAt: performance.now(), status: answer.status, json };
  };
  const choice = randomInt(10);
  if (choice < 4) {
    const { status, json, ...times } = await send('GET', path);
    const what = `get: ${status} ${json.value} v${json.version}`;
    const fits = (before: { value: string; version: number } | undefined) =>
      status === 404 ? !before : before?.value === json.value && before?.version === json.version;
    return { ...times, what, apply: (before) => (fits(before) ? before : 'impossible') };
  }
  if (choice === 4) {
    const { status, json, ...times } = await send('DELETE', path);
    const what = `delete: ${status} ${json.deleted}`;
    return {
      ...times,
      what,
      apply: (before) => (json.deleted === (before ? 1 : 0) ? undefined : 'impossible'),
    };
  }
  const ifVersion = choice < 7 ? randomInt(4) : undefined;
  const body = { key, value, ...(ifVersion === undefined ? {} : { if_version: ifVersion }) };
  const { status, json, ...times } = await send('POST', '/api/v1/memory/store', body);
  const what = `store ${value} if ${ifVersion}: ${status} v${json.version}`;
  return {
    ...times,
    what,
    apply(before) {
      const version = before?.version ?? 0;
      const matches = ifVersion === undefined || ifVersion === version;
      if (status === 412) return matches ? 'impossible' : before;
      const fits = status === 200 && matches && json.version === version + 1 && json.created === !before;
      return fits ? { value, version: version + 1 } : 'impossible';
    },
  };
}
