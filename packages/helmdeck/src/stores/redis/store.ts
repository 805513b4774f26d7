import { randomBytes, randomInt } from 'node:crypto';
import { KINDS, type Kind } from '../../memory/entry.ts';
import {
  idStartOf,
  type NamespaceRecord,
  type NamespaceRef,
  type Row,
  type ScanOptions,
  type Sharing,
  type Store,
  StoreConflict,
  type Tombstone,
  type Usage,
} from '../../memory/store.ts';
import { parseRedisAddress } from './address.ts';
import {
  CONNECT_TIMEOUT_MS,
  connectRedis,
  type DriverOptions,
  type RedisArgument,
  type RedisDriver,
} from './driver.ts';
import { assertDurable, durabilityWarning, readDurability } from './durability.ts';
import { bucketOf, eachBucket, type RedisKeys, redisKeys } from './keys.ts';
import { checkLayout } from './layout.ts';
import { createAofRewriter } from './rewrite-aof.ts';
import { doubles, packOp, unpackRow } from './rows.ts';
import { scripts } from './scripts.ts';
import { redisSharing } from './sharing.ts';
import { redisSweep } from './sweep.ts';

export interface RedisOptions extends DriverOptions {
  now: () => number;
  onCommit?: (writes: number, seconds: number) => void;
  /** Called with what an operator should know about the server. */
  onWarning?: (warning: string) => void;
  /** The store is a cache that may lose data; its keys have a prefix of their own. */
  cacheOnly?: boolean;
  /** Redis itself expires rows, this long after their time, so that a sweep can still return them. Only in a cache by default. */
  graceMs?: number;
}

/** Two intervals of the janitor. */
const CACHE_GRACE_MS = 60_000;
/** Redis expires nothing: its clock may be wrong, and no clock guard watches it. */
const NO_EXPIRY = -1;
/** Namespaces whose usage one call counts. */
const USAGE_PAGE_NAMESPACES = 200;
/** A limit that Redis takes for none. */
const NO_LIMIT = -1;
/** Random, so that a namespace that is dropped and created again is never taken for its predecessor. */
const randomNumber = () => String(randomInt(1, 2 ** 47));

/** Opens a store on Redis 7 or later, Valkey, or a cluster of either, which several processes may share. */
export async function openRedisStore(address: string, options: RedisOptions): Promise<Store> {
  const { url, prefix, persistence } = parseRedisAddress(address, options.cacheOnly);
  const driver = await connectRedis(url, options);
  try {
    const servers = await readDurability(driver, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    assertDurable(servers, persistence);
    const warning = durabilityWarning(servers, persistence);
    if (warning) options.onWarning?.(warning);
    await checkLayout(driver, redisKeys(prefix));
    const hasAof = servers.some(({ aofSync }) => aofSync !== 'off');
    return createStore(driver, prefix, { ...options, hasAof });
  } catch (thrown) {
    await driver.close();
    throw thrown;
  }
}

/** Reads what `helmdeck doctor` reports about a server; throws if the server is unsuitable. */
export async function examineRedis(
  address: string,
  options: { cacheOnly?: boolean; namespaces?: readonly Uint8Array[] } = {},
): Promise<{ version: string; warning?: string; records: (NamespaceRecord | undefined)[] }> {
  const { url, prefix, persistence } = parseRedisAddress(address, options.cacheOnly);
  const driver = await connectRedis(url, { connectTimeoutMs: 0 });
  try {
    const servers = await readDurability(driver, 0);
    assertDurable(servers, persistence);
    const keys = redisKeys(prefix);
    const records = (options.namespaces ?? []).map((ns) => readRecord(driver, keys, ns));
    const warning = durabilityWarning(servers, persistence);
    return { version: servers[0]!.version, warning, records: await Promise.all(records) };
  } finally {
    await driver.close();
  }
}

async function readRecord(
  driver: RedisDriver,
  keys: RedisKeys,
  ns: Uint8Array,
): Promise<NamespaceRecord | undefined> {
  const key = keys.record(ns);
  const [generation, blob] = await driver.send<(Buffer | null)[]>(key, ['HMGET', key, 'g', 'b']);
  return generation && blob ? toRecord(ns, generation, blob) : undefined;
}

function createStore(
  driver: RedisDriver,
  prefix: string,
  options: RedisOptions & { hasAof: boolean },
): Store {
  const { now, onCommit, graceMs = options.cacheOnly ? CACHE_GRACE_MS : NO_EXPIRY } = options;
  const aofRewriter = options.hasAof ? createAofRewriter(driver) : undefined;
  const keys = redisKeys(prefix);
  const sender = randomBytes(8);
  const origin = [sender, keys.changes];
  const channel = Buffer.from(keys.changes);
  const batchHeader = ({ ns, generation }: NamespaceRef, nowMs: number) =>
    Buffer.concat([ns, sender, doubles(generation, nowMs, graceMs), channel]);
  const tagOf = (ns: Uint8Array) => keys.tag(bucketOf(ns));
  const { sweep, removeDropped } = redisSweep(driver, keys);
  const sharing: Sharing = redisSharing(driver, keys, sender);
  const readIdsBySeq = async (key: Buffer, afterSeq: number, limit: number): Promise<Tombstone[]> => {
    const range = [`(${afterSeq}`, '+inf', 'WITHSCORES', 'LIMIT', '0', String(limit)];
    const flat = await driver.send<Buffer[]>(key, ['ZRANGEBYSCORE', key, ...range]);
    return flat.flatMap((id, i) =>
      i % 2 ? [] : [{ id: new Uint8Array(id), seq: Number(String(flat[i + 1])) }],
    );
  };

  return {
    sharing,
    connections: driver.connections,

    async apply(ref, ops) {
      const startMs = performance.now();
      const batch = [batchHeader(ref, now()), ...ops.map(packOp)];
      const [seq, deleted] = await driver.run<[number, number]>(scripts.apply, tagOf(ref.ns), batch);
      if (seq < 0) throw new StoreConflict(seq === -1 ? 'gone' : 'rev');
      onCommit?.(1, (performance.now() - startMs) / 1000);
      return { seq, deleted };
    },

    async get(ns, id) {
      const key = keys.row(ns, id);
      const packed = await driver.send<Buffer | null>(key, ['GET', key]);
      return packed ? unpackRow(id, packed) : undefined;
    },

    async scan(ns, scan): Promise<Row[]> {
      const flat = await driver.run<Buffer[]>(scripts.scan, tagOf(ns), scanArguments(ns, scan));
      return flat.flatMap((id, i) => (i % 2 ? [] : [unpackRow(id, flat[i + 1]!)]));
    },

    async marks(ns, kind, afterSeq, limit) {
      const rows = await readIdsBySeq(keys.kind(ns, kind), afterSeq, limit);
      return rows.map(({ seq, id }) => ({ seq, idStart: idStartOf(id) }));
    },
    tombstones: (ns, afterSeq, limit = NO_LIMIT) => readIdsBySeq(keys.tombstones(ns), afterSeq, limit),

    async position(ns) {
      const key = keys.record(ns);
      const [seq, epoch] = await driver.send<(Buffer | null)[]>(key, ['HMGET', key, 's', 'e']);
      return { seq: toNumber(seq), epoch: toNumber(epoch) };
    },

    async usage(nowMs, ns) {
      const countUsage = async (bucket: number, ...rest: RedisArgument[]) =>
        driver.run<[Buffer, KindUsage[]]>(scripts.usage, keys.tag(bucket), [String(nowMs), ...rest]);
      if (ns) return toUsage((await countUsage(bucketOf(ns), '-', '0', bytes(ns)))[1]);
      const bucketUsage = async (bucket: number) => {
        const all: Usage[] = [];
        for (let last: Buffer | undefined; last?.length !== 0; ) {
          const [next, page]: [Buffer, KindUsage[]] = await countUsage(
            bucket,
            afterBound(last),
            String(USAGE_PAGE_NAMESPACES),
          );
          all.push(...toUsage(page));
          last = next;
        }
        return all;
      };
      return (await eachBucket(bucketUsage)).flat();
    },

    getNamespace: (ns) => readRecord(driver, keys, ns),

    async createNamespace(ns, blob) {
      for (;;) {
        const args = [bytes(ns), randomNumber(), randomNumber(), bytes(blob)];
        const [generation, stored] = await driver.run<Buffer[]>(scripts.createNamespace, tagOf(ns), args);
        if (generation && stored) return toRecord(ns, generation, stored);
        await removeDropped(ns); // a dropped predecessor still has rows
      }
    },

    async replaceNamespace(ref: NamespaceRef, before, blob) {
      const args = [bytes(ref.ns), String(ref.generation), bytes(before), bytes(blob)];
      return (await driver.run<number>(scripts.replaceNamespace, tagOf(ref.ns), args)) === 1;
    },

    async listNamespaces(limit, afterNs) {
      const bounds = [afterBound(afterNs), String(limit)];
      const pages = await eachBucket(
        async (bucket) =>
          toRecords(await driver.run<Buffer[]>(scripts.listNamespaces, keys.tag(bucket), bounds)),
        afterNs ? bucketOf(afterNs) : 0,
        (found) => found.reduce((sum, page) => sum + page.length, 0) >= limit,
      );
      return pages.flat().slice(0, limit);
    },

    async dropNamespace(ns) {
      const rows = await driver.run<number>(scripts.dropNamespace, tagOf(ns), [bytes(ns), ...origin]);
      await removeDropped(ns);
      aofRewriter?.schedule();
      return rows;
    },

    sweep,

    async probe() {
      await driver.send(keys.probe, ['SET', keys.probe, '1', 'PX', '60000']);
    },

    async close() {
      await aofRewriter?.close();
      await driver.close();
    },
  };
}

function scanArguments(ns: Uint8Array, scan: ScanOptions): RedisArgument[] {
  const { kinds = KINDS, group, afterSeq = 0, beforeSeq, newestFirst, limit } = scan;
  const before = beforeSeq === undefined ? '+inf' : `(${beforeSeq}`;
  const order = newestFirst ? '1' : '0';
  return [bytes(ns), `(${afterSeq}`, before, order, String(limit), group ? bytes(group) : '', ...kinds];
}

type KindUsage = [ns: Buffer, kind: Buffer, rows: number, bytes: number];

function toUsage(counted: readonly KindUsage[]): Usage[] {
  return counted.map(([ns, kind, rows, bytes]) => ({
    ns: new Uint8Array(ns),
    kind: String(kind) as Kind,
    rows,
    bytes,
  }));
}

function toRecords(flat: readonly Buffer[]): NamespaceRecord[] {
  return flat.flatMap((ns, i) => (i % 3 ? [] : [toRecord(ns, flat[i + 1]!, flat[i + 2]!)]));
}

function toRecord(ns: Uint8Array, generation: Buffer, blob: Buffer): NamespaceRecord {
  return { ns: new Uint8Array(ns), generation: toNumber(generation), blob: new Uint8Array(blob) };
}

const toNumber = (text: Buffer | null | undefined) => Number(text?.toString('latin1') ?? 0);

/** A copy, because the client sends a command later and the caller may have reused its buffer by then. */
const bytes = (source: Uint8Array) => Buffer.from(source);

const afterBound = (ns: Uint8Array | undefined) => (ns ? Buffer.concat([Buffer.from('('), ns]) : '-');
