import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import type { FreshHome } from './fresh-home.ts';
import type { RecordedServer } from './recorded-server.ts';

const PROGRAM = resolve(import.meta.dirname, '../../packages/helmdeck/bin/helmdeck.js');

/** `helmdeck` as Ada types it in her home. The variables are its own: what a client runs later has no part of them. */
export async function helmdeckCommand(home: FreshHome, { url, helmdeck }: RecordedServer) {
  const HELMDECK_TOKEN = await helmdeck.token('ada', { client: 'cli', scopes: ['admin'] });
  return async (...args: string[]): Promise<string> => {
    const { code, out, all } = await home.run(PROGRAM, args, { HELMDECK_URL: url, HELMDECK_TOKEN });
    assert.equal(code, 0, all);
    return out;
  };
}

/** More than any budget has room for, and somebody else's, which are nobody's business. */
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

/** Ada's facts in what a model was asked, wherever in the request they stand. */
export const factsIn = (asked: string) => asked.match(/- preferences\/p\d+: Helix, not Vim[^\\\n]*/g) ?? [];
