import { groupId, rowId, seal } from '../packages/helmdeck/src/memory/crypto/sealed.ts';
import { createMemory, type Memory } from '../packages/helmdeck/src/memory/memory.ts';
import type { Op } from '../packages/helmdeck/src/memory/store.ts';
import { buildServer, type Server } from '../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../packages/helmdeck/src/server/config/config.ts';
import { makeFact, makeQuestion } from './made-up-facts.ts';
import { unlimited } from './unlimited.ts';

export const caller = { subject: 'bench' };
const quiet = () => {};
const log = { isEnabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Starts a server on the facts in a folder; also returns the memory of its one caller. */
export async function startRecall(
  folder: string,
  now: () => number = Date.now,
  env: Record<string, string> = {},
): Promise<{ server: Server; memory: Memory; config: ReturnType<typeof loadConfig>['config'] }> {
  const { config } = loadConfig({
    ...unlimited(folder),
    HELMDECK_RECALL_CACHE_BYTES: String(2 ** 33),
    ...env,
  });
  const server = await buildServer(config, { log, now });
  return { server, config, memory: createMemory(server.memory!.parts, caller) };
}

export const questionAt = (number: number, rows: number) => ({ text: makeQuestion(number, rows), limit: 20 });

/** Writes made-up facts up to this number, without the checks of a store. */
export async function fill(memory: Memory, rows: number, from = 0): Promise<void> {
  const { store, directory, now } = memory;
  const keys = await directory.findOrCreate(memory.caller);
  for (let first = from; first < rows; first += 2000) {
    const ops: Op[] = [];
    for (let number = first; number < Math.min(rows, first + 2000); number++) {
      const content = { ...makeFact(number), version: 1 };
      const position = { id: rowId(keys, 'fact', content.key), kind: 'fact', rev: 1 } as const;
      const group = groupId(keys, 'category', content.category);
      const times = { createdMs: now(), updatedMs: now(), expiresMs: now() + 7_776_000_000 };
      ops.push({ type: 'put', row: seal(keys, { ...position, group, ...times }, content), ifRev: 0 });
    }
    await store.apply(keys, ops);
  }
}
