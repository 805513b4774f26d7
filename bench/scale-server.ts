import { groupId, rowId, seal } from '../packages/helmdeck/src/memory/crypto/sealed.ts';
import { createMemory } from '../packages/helmdeck/src/memory/memory.ts';
import type { Op } from '../packages/helmdeck/src/memory/store.ts';
import { buildServer } from '../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../packages/helmdeck/src/server/config/config.ts';
import { listen } from '../packages/helmdeck/src/server/http/listen.ts';
import { createLogger } from '../packages/helmdeck/src/server/process/logger.ts';
import { makeFact } from './made-up-facts.ts';

// A server whose database can be filled with many callers quickly, and that reports its CPU time and memory.
const { config } = loadConfig(process.env);
const server = await buildServer(config, { log: createLogger(config.logLevel) });
const { url } = await listen(server, config);
const CONCURRENT_CALLERS = 500;

/** Fills the memory of one caller per count with that many facts. */
async function fill(counts: number[]): Promise<void> {
  const texts = Array.from({ length: 10_000 }, (_, number) => makeFact(number));
  let next = 0;
  const fillOne = async (caller: number) => {
    const { store, directory, now } = createMemory(server.memory!.parts, { subject: `caller-${caller}` });
    const keys = await directory.findOrCreate({ subject: `caller-${caller}` });
    const createdMs = now();
    const times = { createdMs, updatedMs: createdMs, expiresMs: createdMs + 7_776_000_000 };
    const ops: Op[] = [];
    for (let number = 0; number < counts[caller]!; number++) {
      const { value, tags } = texts[next++ % texts.length]!;
      const key = `k/${number}`;
      const group = groupId(keys, 'category', 'user_facts');
      const columns = { id: rowId(keys, 'fact', key), kind: 'fact', group, rev: 1 } as const;
      const content = { key, value, category: 'user_facts', tags, version: 1 };
      ops.push({ type: 'put', row: seal(keys, { ...columns, ...times }, content), ifRev: 0 });
    }
    await store.apply(keys, ops);
  };
  for (let at = 0; at < counts.length; at += CONCURRENT_CALLERS)
    await Promise.all(
      Array.from({ length: Math.min(CONCURRENT_CALLERS, counts.length - at) }, (_, index) =>
        fillOne(at + index),
      ),
    );
}

process.on('message', async (message: { fill?: number[] }) => {
  if (message.fill) await fill(message.fill);
  const { user, system } = process.cpuUsage();
  const { images, bytes, lookups, loads } = server.memory!.recall.status();
  const used = { cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss() };
  process.send!({ ...used, images, imageBytes: bytes, lookups, loads });
});
process.on('disconnect', () => process.exit(0));
process.send!({ url });
