import { createHash } from 'node:crypto';
import { findEntry, type Memory, putOp, transact } from '../memory/memory.ts';
import { groupId, rowId } from '../memory/sealed.ts';
import { detectSecretInTurns } from '../memory/secrets-in-turns.ts';
import { canonicalJson } from './canonical-json.ts';
import { checkedOutput } from './invoke.ts';
import type { ArtifactInfo } from './pack-services.ts';
import type { Outcome, Run } from './run.ts';
import { toRunError } from './run-error.ts';

/** A result as it is kept. */
export interface CachedResult {
  output: unknown;
  artifacts?: readonly ArtifactInfo[];
  madeMs: number;
}

/** Larger results are not worth their room. */
const MAX_CACHED_CHARS = 1_048_576;

/**
 * What makes two calls the same call. The caller is not in it: every caller's results are in their own namespace. What
 * the token may read of the vault is: a result made with a secret is not for a token that may not use it.
 */
export function cacheKey(run: Run): string {
  const { pack, input, scopes } = run;
  const vary = variant(run) ?? '';
  const readsVault = scopes.has('vault:read') || scopes.has('admin');
  const parts = [pack.name, pack.version, pack.definitionHash, canonicalJson(input), vary, readsVault];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The pack's own code, which may fail like any other. */
function variant(run: Run): string | undefined {
  const { pack, input, session } = run;
  try {
    return pack.memory.cache?.vary?.({ input, session });
  } catch (thrown) {
    throw toRunError(thrown, run);
  }
}

/** The kept result, if it is there and still fits the pack's schema. */
export async function readCached(memory: Memory, run: Run, key: string): Promise<CachedResult | undefined> {
  const entry = await findEntry(memory, 'cache', key);
  if (!entry) return undefined;
  const cached = JSON.parse(entry.value) as CachedResult;
  try {
    return { ...cached, output: checkedOutput(run.pack, cached.output) };
  } catch {
    return undefined; // what no longer fits is made anew
  }
}

/** Keeps a result, unless it is too large or holds a credential; says whether it did. */
export async function writeCached(memory: Memory, run: Run, key: string, outcome: Outcome): Promise<boolean> {
  const { ttlSeconds, staleSeconds = 0, category = 'cache' } = run.pack.memory.cache!;
  const nowMs = memory.now();
  const { output, artifacts } = outcome;
  const value = JSON.stringify({ output, artifacts, madeMs: nowMs } satisfies CachedResult);
  if (value.length > MAX_CACHED_CHARS || (await detectSecretInTurns(value))) return false;
  const expiresMs = nowMs + (ttlSeconds + staleSeconds) * 1000;
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  const room = memory.limits.reserve(ns);
  await transact(memory, keysOf, `${ns.toString('hex')} cache ${key}`, async (keys) => {
    const id = rowId(keys, 'cache', key);
    const row = await memory.store.get(keys.ns, id);
    const head = { id, kind: 'cache', group: groupId(keys, 'pack', run.pack.name) } as const;
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
    const put = putOp(keys, { ...head, content: { key, value, category }, ...times }, row);
    await room.hold(0, put.type === 'put' ? put.row.body.length : 0);
    return { ops: [put], result: undefined };
  }).finally(() => room.settle());
  return true;
}
