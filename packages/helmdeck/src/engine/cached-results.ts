import { createHash } from 'node:crypto';
import type { ArtifactInfo } from '../memory/artifact.ts';
import { detectCredentialInSteps } from '../memory/credential-detector/detect-in-steps.ts';
import { groupId, type NamespaceKeys, rowId } from '../memory/crypto/sealed.ts';
import type { Entry } from '../memory/entry.ts';
import { findEntry, type Memory, putOp, readEntry, transact } from '../memory/memory.ts';
import type { Op } from '../memory/store.ts';
import { canonicalJson } from './canonical-json.ts';
import type { MeetingPoint } from './cross-node-single-flight.ts';
import { checkedOutput } from './pack/invoke.ts';
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
  const entry = memory.cache ? await findShared(memory, key) : await findEntry(memory, 'cache', key);
  if (!entry) return undefined;
  const cached = JSON.parse(entry.value) as CachedResult;
  try {
    return { ...cached, output: checkedOutput(run.pack, cached.output) };
  } catch {
    return undefined; // what no longer fits is made anew
  }
}

async function findShared(memory: Memory, key: string): Promise<Entry | undefined> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return undefined;
  return readEntry({ ...memory, store: await memory.cache!.open() }, keys, rowId(keys, 'cache', key));
}

/** Keeps a result, unless it is too large or holds a credential; says whether it did. */
export async function writeCached(memory: Memory, run: Run, key: string, outcome: Outcome): Promise<boolean> {
  const nowMs = memory.now();
  const { output, artifacts } = outcome;
  const value = JSON.stringify({ output, artifacts, madeMs: nowMs } satisfies CachedResult);
  if (value.length > MAX_CACHED_CHARS || (await detectCredentialInSteps(value))) return false;
  const sealed = (keys: NamespaceKeys, before: { rev: number } | undefined) =>
    sealedResult(keys, run, { key, value, nowMs }, before);
  await (memory.cache ? keepShared(memory, key, sealed) : keepInStore(memory, key, sealed));
  return true;
}

type SealResult = (keys: NamespaceKeys, before: { rev: number } | undefined) => Op & { type: 'put' };

function sealedResult(
  keys: NamespaceKeys,
  { pack }: Run,
  { key, value, nowMs }: { key: string; value: string; nowMs: number },
  before: { rev: number } | undefined,
): Op & { type: 'put' } {
  const { ttlSeconds, staleSeconds = 0, category = 'cache' } = pack.memory.cache!;
  const expiresMs = nowMs + (ttlSeconds + staleSeconds) * 1000;
  const head = {
    id: rowId(keys, 'cache', key),
    kind: 'cache',
    group: groupId(keys, 'pack', pack.name),
  } as const;
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs };
  return putOp(keys, { ...head, content: { key, value, category }, ...times }, before);
}

async function keepInStore(memory: Memory, key: string, seal: SealResult): Promise<void> {
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  const room = memory.limits.reserve(ns);
  await transact(memory, keysOf, `${ns.toString('hex')} cache ${key}`, async (keys) => {
    const put = seal(keys, await memory.store.get(keys.ns, rowId(keys, 'cache', key)));
    await room.hold(0, put.row.body.length);
    return { ops: [put], result: undefined };
  }).finally(() => room.release());
}

/** The shared cache has its own limits, and knows of a namespace only that it is there. */
async function keepShared(memory: Memory, key: string, seal: SealResult): Promise<void> {
  const keys = await memory.directory.findOrCreate(memory.caller);
  const store = await memory.cache!.open();
  const ref = await store.createNamespace(keys.ns, new Uint8Array());
  const before = await store.get(keys.ns, rowId(keys, 'cache', key));
  const { row } = seal(keys, before);
  await store.apply(ref, [{ type: 'put', row }]); // of two results of the same call the later one is as good
}

/** Where nodes agree on who makes a result; nothing when this process has its store to itself. */
export async function meetingPoint(memory: Memory, key: string): Promise<MeetingPoint | undefined> {
  const { sharing } = memory.cache ? await memory.cache.open() : memory.store;
  if (!sharing) return undefined;
  const keys = await memory.directory.findOrCreate(memory.caller);
  // The key itself is a plain hash of the input, which could be guessed.
  return { sharing, name: `${keys.ns.toString('hex')} ${rowId(keys, 'cache', key).toString('hex')}` };
}
