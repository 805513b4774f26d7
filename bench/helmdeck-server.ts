import { groupId, rowId, seal } from '../packages/helmdeck/src/memory/crypto/sealed.ts';
import { createMemory } from '../packages/helmdeck/src/memory/memory.ts';
import type { Op } from '../packages/helmdeck/src/memory/store.ts';
import { buildServer } from '../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../packages/helmdeck/src/server/config/config.ts';
import { listen } from '../packages/helmdeck/src/server/http/listen.ts';
import { createLogger } from '../packages/helmdeck/src/server/process/logger.ts';

// The real thing, as `helmdeck serve` runs it, logs included. A message {rows} fills the caller's memory up to that
// many facts, {runs} adds that many run records.
const { config } = loadConfig(process.env);
const server = await buildServer(config, { log: createLogger(config.logLevel) });
const { url } = await listen(server, config);
const caller = { subject: 'bench' };
const { token } = await server.auth.mint({
  caller,
  scopes: ['memory:read', 'memory:write', 'packs:run'],
  ttlSeconds: 36_000,
});

let filled = 0;
async function fill(rows: number): Promise<void> {
  const { store, directory, now } = createMemory(server.memory!.parts, caller);
  const keys = await directory.findOrCreate(caller);
  while (filled < rows) {
    const ops: Op[] = [];
    for (let count = 0; count < 2000 && filled < rows; count++) {
      const key = `fill/${filled++}`;
      const createdMs = now();
      const columns = {
        id: rowId(keys, 'fact', key),
        kind: 'fact',
        group: groupId(keys, 'category', 'user_facts'),
        rev: 1,
      } as const;
      const times = { createdMs, updatedMs: createdMs, expiresMs: createdMs + 7_776_000_000 };
      const content = {
        key,
        value: 'a fact of an ordinary length, '.repeat(4),
        category: 'user_facts',
        tags: [],
        version: 1,
      };
      ops.push({ type: 'put', row: seal(keys, { ...columns, ...times }, content), ifRev: 0 });
    }
    await store.apply(keys, ops);
  }
}

async function addRuns(count: number): Promise<void> {
  const { history, parts } = server.memory!;
  for (let number = 1; number <= count; number++) {
    history.addPack(caller, {
      pack: 'helmdeck.memory_recall',
      version: 'v1',
      outcome: 'ok',
      at_unix: Math.floor(parts.now() / 1000),
      duration_ms: 1,
    });
    if (number % 5_000 === 0 || number === count) await parts.pending.drain();
  }
}

process.on('message', async ({ rows, runs, cpu }: { rows?: number; runs?: number; cpu?: boolean }) => {
  if (cpu) return process.send!({ cpu: process.cpuUsage() });
  if (runs !== undefined) {
    await addRuns(runs);
    return process.send!({ runs });
  }
  await fill(rows!);
  return process.send!({ rows });
});
process.on('disconnect', () => process.exit(0));
process.send!({ url, token });
