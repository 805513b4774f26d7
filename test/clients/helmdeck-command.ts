import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { ClientHome } from './client-home.ts';
import type { RecordedServer } from './recorded-server.ts';

const PROGRAM = resolve(import.meta.dirname, '../../packages/helmdeck/bin/helmdeck.js');

/** Runs the `helmdeck` CLI as Ada in this home. Its variables are not visible to what the client runs later. */
export async function helmdeckCommand(home: ClientHome, { url, helmdeck }: RecordedServer) {
  const HELMDECK_TOKEN = await helmdeck.token('ada', { client: 'cli', scopes: ['admin'] });
  return async (...args: string[]): Promise<string> => {
    const { code, out, all } = await home.run(PROGRAM, args, { HELMDECK_URL: url, HELMDECK_TOKEN });
    assert.equal(code, 0, all);
    return out;
  };
}

/** Stores more facts of Ada than fit into any prompt budget, and one of Bob that Ada must not see. */
export async function storeManyFacts({ helmdeck }: RecordedServer): Promise<void> {
  const facts = Array.from({ length: 80 }, (_, n) => ({
    key: `preferences/p${n}`,
    value: `Helix, not Vim, ${n} times. ${'And so on. '.repeat(10)}`,
  }));
  await helmdeck.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
  await helmdeck.call('bob', 'POST', '/api/v1/memory/store', {
    key: 'preferences/p0',
    value: 'Bob likes Vim',
  });
}

/** Ada's facts anywhere in a request to the model. */
export const factsIn = (request: string) =>
  request.match(/- preferences\/p\d+: Helix, not Vim[^\\\n]*/g) ?? [];
