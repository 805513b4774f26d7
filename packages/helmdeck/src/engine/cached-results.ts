import { createHash } from 'node:crypto';
import type { ArtifactInfo } from '../memory/artifact.ts';
import { detectCredentialInSteps } from '../memory/credential-detector/detect-in-steps.ts';
import { groupId, type NamespaceKeys, rowId } from '../memory/crypto/sealed.ts';
import type { Entry } from '../memory/entry.ts';
import { findEntry, type Memory, putOp, readEntry, transact } from '../memory/memory.ts';
import type { Op } from '../memory/store.ts';
import { canonicalJson } from './canonical-json.ts';
import type { FlightId } from './cross-node-single-flight.ts';
import { checkedOutput } from './pack/invoke.ts';
import type { Outcome, Run } from './run.ts';
import { toRunError } from './run-error.ts';

/** A pack result as the cache stores it: a sealed row of the caller, in the store or in a shared cache. */
export interface CachedResult {
  output: unknown;
  artifacts?: readonly ArtifactInfo[];
  external?: true;
  /** When the handler returned it. */
  madeMs: number;
}

/** Larger results are not cached. */
const MAX_CACHED_CHARS = 1_048_576;

/**
 * Identical calls have the same key. The caller is not part of it: each caller's results are in their own namespace.
 * Whether the token may read the vault is: a result made with a secret must not reach a token that may not use it.
 */
export function cacheKey(run: Run): string {
  const { pack, input, scopes } = run;
  const vary = varyOf(run) ?? '';
  const readsVault = scopes.has('vault:read') || scopes.has('admin');
  const parts = [pack.name, pack.version, pack.definitionHash, canonicalJson(input), vary, readsVault];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** `vary` is the pack's own code and can throw. */
function varyOf(run: Run): string | undefined {
  const { pack, input, session } = run;
  try {
    return pack.memory.cache?.vary?.({ input, session });
  } catch (thrown) {
    throw toRunError(thrown, run);
  }
}

/** The cached result, if there is one and it still fits the pack's schema. */
export async function readCached(memory: Memory, run: Run, key: string): Promise<CachedResult | undefined> {
  const entry = memory.cache ? await findInSharedCache(memory, key) : await findEntry(memory, 'cache', key);
  if (!entry) return undefined;
  const cached = JSON.parse(entry.value) as CachedResult;
  try {
    return { ...cached, output: checkedOutput(run.pack, cached.output) };
  } catch {
    return undefined;
  }
}

async function findInSharedCache(memory: Memory, key: string): Promise<Entry | undefined> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return undefined;
  return readEntry({ ...memory, store: await memory.cache!.open() }, keys, rowId(keys, 'cache', key));
}

/** Caches a result, unless it is too large or contains a credential; returns whether it did. */
export async function writeCached(memory: Memory, run: Run, key: string, outcome: Outcome): Promise<boolean> {
  const nowMs = memory.now();
  const { output, artifacts, external } = outcome;
  const value = JSON.stringify({ output, artifacts, external, madeMs: nowMs } satisfies CachedResult);
  if (value.length > MAX_CACHED_CHARS || (await detectCredentialInSteps(value))) return false;
  const seal: SealResult = (keys, before) => sealResult(keys, run, { key, value, nowMs }, before);
  await (memory.cache ? writeToSharedCache(memory, key, seal) : writeToStore(memory, key, seal));
  return true;
}

type SealResult = (keys: NamespaceKeys, before: { rev: number } | undefined) => Op & { type: 'put' };

function sealResult(
  keys: NamespaceKeys,
  { pack }: Run,
  { key, value, nowMs }: { key: string; value: string; nowMs: number },
  before: { rev: number } | undefined,
): Op & { type: 'put' } {
  const { ttlSeconds, staleSeconds = 0, category = 'cache' } = pack.memory.cache!;
  const expiresMs = nowMs + (ttlSeconds + staleSeconds) * 1000;
  const row = {
    id: rowId(keys, 'cache', key),
    kind: 'cache',
    group: groupId(keys, 'pack', pack.name),
  } as const;
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
  return putOp(keys, { ...row, content: { key, value, category }, ...times }, before);
}

async function writeToStore(memory: Memory, key: string, seal: SealResult): Promise<void> {
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  const reservation = memory.limits.reserve(ns);
  await transact(memory, keysOf, `${ns.toString('hex')} cache ${key}`, async (keys) => {
    const put = seal(keys, await memory.store.get(keys.ns, rowId(keys, 'cache', key)));
    await reservation.hold(0, put.row.body.length);
    return { ops: [put], result: undefined };
  }).finally(() => reservation.release());
}

/** The shared cache has its own limits; of a namespace it knows only the id. */
async function writeToSharedCache(memory: Memory, key: string, seal: SealResult): Promise<void> {
  const keys = await memory.directory.findOrCreate(memory.caller);
  const store = await memory.cache!.open();
  const ref = await store.createNamespace(keys.ns, new Uint8Array());
  const before = await store.get(keys.ns, rowId(keys, 'cache', key));
  const { row } = seal(keys, before);
  await store.apply(ref, [{ type: 'put', row }]); // no precondition: for the same call, the last write may win
}

/** The flight that computes this result, as other nodes know it; undefined when no other process uses the store. */
export async function flightIdOf(memory: Memory, key: string): Promise<FlightId | undefined> {
  const { sharing } = memory.cache ? await memory.cache.open() : memory.store;
  if (!sharing) return undefined;
  const keys = await memory.directory.findOrCreate(memory.caller);
  // Not the cache key itself: that is a plain hash of the input, which can be guessed.
  return { sharing, name: `${keys.ns.toString('hex')} ${rowId(keys, 'cache', key).toString('hex')}` };
}
