import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { rememberFact } from '../facts/remember.ts';
import { createMemory, findEntry, type Memory } from '../memory.ts';
import type { ErasableResources } from './erasable-resources.ts';
import { eraseMemory } from './erase-memory.ts';

let server: TestServer;
let memory: Memory;

beforeEach(async () => {
  server = await testServer();
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
  const fact = { key: 'k', value: 'v', category: 'user_facts', tags: [], ttlSeconds: 3600 };
  await rememberFact(memory, fact, { source: { surface: 'x' } });
});
afterEach(() => server.close());

/** The server's resources, each of which reports when it is stopped or erased. */
function traced(calls: string[]): ErasableResources {
  const { runs, ...stored } = memory.erasable();
  const tracedStored = Object.fromEntries(
    Object.entries(stored).map(([name, resource]) => [
      name,
      resource && {
        ...resource,
        async erase(caller: Memory['caller']) {
          calls.push(name);
          return { ...(await resource.erase(caller)), notCovered: `${name}.` };
        },
      },
    ]),
  );
  const stop = async (caller: Memory['caller']) => {
    calls.push('runs');
    await runs.stop(caller);
  };
  return { ...(tracedStored as unknown as ErasableResources), runs: { ...runs, stop } };
}

describe('eraseMemory', () => {
  it('eraseMemory stops runs first, then drops the namespace, then erases every other resource on the list', async () => {
    const calls: string[] = [];
    await eraseMemory({ ...memory, erasable: () => traced(calls) }, server.memory!.signer);
    expect(calls).toEqual([
      'runs',
      'namespaceRows',
      'spaceNames',
      'runRecords',
      'artifacts',
      'vaultSecrets',
      'entryCache',
      'recallImage',
    ]);
  });

  it('the receipt lists the resources that eraseMemory could not reach', async () => {
    const receipt = await eraseMemory({ ...memory, erasable: () => traced([]) }, server.memory!.signer);
    expect(receipt.not_covered).toContain('artifacts.');
    expect(receipt.not_covered).toContain('vaultSecrets.');
  });

  it('eraseMemory leaves no decrypted entry and no search image of the caller in RAM', async () => {
    await findEntry(memory, 'fact', 'k');
    await server.memory!.recall.search(memory, { text: 'v', limit: 1 }, () => {});
    const ns = memory.directory.idOf(memory.caller);
    const position = await memory.store.position(ns);
    expect(memory.entryCache.find(ns, position, 'fact', 'k')).toBeDefined();
    expect(server.memory!.recall.status().images).toBe(1);
    await eraseMemory(memory, server.memory!.signer);
    expect(memory.entryCache.find(ns, position, 'fact', 'k')).toBeUndefined();
    expect(server.memory!.recall.status().images).toBe(0);
  });
});
