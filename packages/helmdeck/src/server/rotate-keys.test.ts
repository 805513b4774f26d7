import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDirectory } from '../memory/crypto/directory.ts';
import { createKeyring } from '../memory/crypto/keyring.ts';
import { isWrappedUnder } from '../memory/crypto/namespace-record.ts';
import { createInMemoryStore } from '../stores/in-memory/store.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { rotateKeys } from './rotate-keys.ts';

const OLD = Buffer.alloc(32, 0x11);
const NEW = Buffer.alloc(32, 0x22);
let server: TestServer;
let closing: AbortController;
beforeEach(async () => {
  closing = new AbortController();
  server = await testServer({
    env: {
      HELMDECK_MEMORY_KEY: NEW.toString('hex'),
      HELMDECK_MEMORY_KEY_PREVIOUS: OLD.toString('hex'),
    },
  });
});
afterEach(async () => {
  closing.abort();
  await server.close();
});

const log = () => ({ isEnabled: () => true, debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

/** A record as a node with only the old key writes it. */
async function recordUnderOldKey() {
  const elsewhere = createInMemoryStore({ now: Date.now });
  const directory = await openDirectory(elsewhere, createKeyring({ current: OLD }), Date.now);
  const { ns } = await directory.findOrCreate({ subject: 'late' });
  return (await elsewhere.getNamespace(ns))!;
}

it('while earlier keys are configured, a namespace that appears late under one of them is re-wrapped', async () => {
  const memory = server.memory!;
  const { store, directory } = memory.parts;
  const options = { repeat: true, vault: undefined, log: log(), closing: closing.signal, intervalMs: 5 };
  const rotating = rotateKeys(memory, options);
  await expect.poll(() => directory.rotation.finished).toBe(true);
  const { ns, blob } = await recordUnderOldKey();
  await store.createNamespace(ns, blob);
  const currentId = createKeyring({ current: NEW }).currentId;
  await expect.poll(async () => isWrappedUnder(currentId, (await store.getNamespace(ns))!)).toBe(true);
  expect(directory.rotation).toMatchObject({ unreadable: 0, finished: true });
  closing.abort();
  await rotating;
});

it('a rotation that fails is logged and tried again until it succeeds', async () => {
  const memory = server.memory!;
  const errors = log();
  let attempts = 0;
  const vault = {
    async rotate() {
      if (++attempts < 3) throw new Error('unreachable');
      return undefined;
    },
  };
  await rotateKeys(memory, {
    repeat: false,
    vault,
    log: errors,
    closing: closing.signal,
    intervalMs: 5,
  });
  expect(attempts).toBe(3);
  expect(errors.error).toHaveBeenCalledTimes(2);
});
