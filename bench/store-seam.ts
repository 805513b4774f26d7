import { randomBytes } from 'node:crypto';
import type { NamespaceRecord, Store } from '../packages/helmdeck/src/memory/store.ts';
import { type LoadResult, loadCalls } from './load.ts';
import { BODY_BYTES } from './raw-engines.ts';

const IDS_PER_WORKER = 1_000;

/** Writes and reads through the Store interface, each worker in its own namespace, as callers are. */
export interface SeamLoad {
  puts(workers: number, seconds: number): Promise<LoadResult>;
  gets(workers: number, seconds: number): Promise<LoadResult>;
}

export async function seamLoad(store: Store, workers: number): Promise<SeamLoad> {
  const refs: NamespaceRecord[] = [];
  for (let worker = 0; worker < workers; worker++)
    refs.push(await store.createNamespace(randomBytes(16), randomBytes(64)));
  const ids: Buffer[][] = refs.map(() => []);
  const body = randomBytes(BODY_BYTES);
  const group = randomBytes(16);

  async function put(_number: number, worker: number): Promise<void> {
    const id = randomBytes(16);
    const nowMs = Date.now();
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + 7_776_000_000 };
    await store.apply(refs[worker]!, [
      { type: 'put', row: { id, kind: 'fact', group, body, rev: 1, ...times }, ifRev: 0 },
    ]);
    if (ids[worker]!.length < IDS_PER_WORKER) ids[worker]!.push(id);
  }
  return {
    puts: (count, seconds) => loadCalls(count, seconds, put),
    gets: (count, seconds) =>
      loadCalls(count, seconds, (number, worker) => {
        const known = ids[worker]!;
        return store.get(refs[worker]!.ns, known[number % known.length]!);
      }),
  };
}
