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
import { connectRedis, type DriverOptions, type RedisArgument, type RedisDriver } from './driver.ts';
import { keepingWarning, readKeeping, refuseForgetful } from './durability.ts';
import { bucketOf, eachBucket, type RedisKeys, redisKeys } from './keys.ts';
import { checkLayout } from './layout.ts';
import { createLogRewriter } from './rewrite-aof.ts';
import { doubles, packOp, unpackRow } from './rows.ts';
import { scripts } from './scripts.ts';
import { redisSharing } from './sharing.ts';
import { redisSweep } from './sweep.ts';

export interface RedisOptions extends DriverOptions {
  now: () => number;
  onCommit?: (writes: number) => void;
  /** Hears what an operator should know about the server. */
  onWarning?: (warning: string) => void;
  /** It holds nothing that cannot be made again; its keys are kept apart from those of a database. */
  cacheOnly?: boolean;
  /** How long Redis keeps a row after its expiry, so that a sweep can tell of it. */
  graceMs?: number;
}

/** Two rounds of the janitor. */
const GRACE_MS = 60_000;
const PAGE_NAMESPACES = 200;
/** As a limit, to Redis. */
const EVERYTHING = -1;
/** Random, so that a namespace that is dropped and made again never looks like its predecessor. */
const randomNumber = () => String(randomInt(1, 2 ** 47));

/** A back-end that several processes share: one Redis 7 or later, a Valkey, or a cluster of either. */
export async function openRedisStore(address: string, options: RedisOptions): Promise<Store> {
  const { url, prefix, persistence } = parseRedisAddress(address, options.cacheOnly);
  const driver = await connectRedis(url, options);
  try {
    const kept = await readKeeping(driver);
    refuseForgetful(kept, persistence);
    const warning = keepingWarning(kept, persistence);
    if (warning) options.onWarning?.(warning);
    await checkLayout(driver, redisKeys(prefix));
    const logs = kept.some(({ logged }) => logged !== 'off');
    return createStore(driver, prefix, { ...options, logs });
  } catch (thrown) {
    await driver.close();
    throw thrown;
  }
}

/** What a server says about itself, what an operator should know about it, and some of its namespaces; throws when it would be refused. */
export async function examineRedis(
  address: string,
  options: { cacheOnly?: boolean; namespaces?: readonly Uint8Array[] } = {},
): Promise<{ version: string; warning?: string; records: (NamespaceRecord | undefined)[] }> {
  const { url, prefix, persistence } = parseRedisAddress(address, options.cacheOnly);
  const driver = await connectRedis(url, { connectMs: 0 });
  try {
    const kept = await readKeeping(driver);
    refuseForgetful(kept, persistence);
    const keys = redisKeys(prefix);
    const records = (options.namespaces ?? []).map((ns) => readRecord(driver, keys, ns));
    const warning = keepingWarning(kept, persistence);
    return { version: kept[0]!.version, warning, records: await Promise.all(records) };
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
  return generation && blob ? recordOf(ns, generation, blob) : undefined;
}

function createStore(driver: RedisDriver, prefix: string, options: RedisOptions & { logs: boolean }): Store {
  const { now, onCommit, graceMs = GRACE_MS } = options;
  const log = options.logs ? createLogRewriter(driver) : undefined;
  const keys = redisKeys(prefix);
  const sender = randomBytes(8);
  const origin = [sender, keys.changes];
  const channel = Buffer.from(keys.changes);
  const batchHead = ({ ns, generation }: NamespaceRef, nowMs: number) =>
    Buffer.concat([ns, sender, doubles(generation, nowMs, graceMs), channel]);
  const tagOf = (ns: Uint8Array) => keys.tag(bucketOf(ns));
  const { sweep, removeDropped } = redisSweep(driver, keys);
  const sharing: Sharing = redisSharing(driver, keys, sender);
  const positions = async (key: Buffer, afterSeq: number, limit: number): Promise<Tombstone[]> => {
    const after = [`(${afterSeq}`, '+inf', 'WITHSCORES', 'LIMIT', '0', String(limit)];
    const flat = await driver.send<Buffer[]>(key, ['ZRANGEBYSCORE', key, ...after]);
    return flat.flatMap((id, i) =>
      i % 2 ? [] : [{ id: new Uint8Array(id), seq: Number(String(flat[i + 1])) }],
    );
  };

  return {
    sharing,

    async apply(ref, ops) {
      const batch = [batchHead(ref, now()), ...ops.map(packOp)];
      const [seq, deleted] = await driver.run<[number, number]>(scripts.apply, tagOf(ref.ns), batch);
      if (seq < 0) throw new StoreConflict(seq === -1 ? 'gone' : 'rev');
      onCommit?.(1);
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
      const rows = await positions(keys.kind(ns, kind), afterSeq, limit);
      return rows.map(({ seq, id }) => ({ seq, idStart: idStartOf(id) }));
    },
    tombstones: (ns, afterSeq, limit = EVERYTHING) => positions(keys.tombstones(ns), afterSeq, limit),

    async position(ns) {
      const key = keys.record(ns);
      const [seq, epoch] = await driver.send<(Buffer | null)[]>(key, ['HMGET', key, 's', 'e']);
      return { seq: numberOf(seq), epoch: numberOf(epoch) };
    },

    async usage(nowMs, ns) {
      const ask = async (bucket: number, ...rest: RedisArgument[]) =>
        driver.run<[Buffer, UsedKind[]]>(scripts.usage, keys.tag(bucket), [String(nowMs), ...rest]);
      if (ns) return usedOf((await ask(bucketOf(ns), '-', '0', bytes(ns)))[1]);
      const usedIn = async (bucket: number) => {
        const all: Usage[] = [];
        for (let last: Buffer | undefined; last?.length !== 0; ) {
          const [next, used]: [Buffer, UsedKind[]] = await ask(
            bucket,
            afterBound(last),
            String(PAGE_NAMESPACES),
          );
          all.push(...usedOf(used));
          last = next;
        }
        return all;
      };
      return (await eachBucket(usedIn)).flat();
    },

    getNamespace: (ns) => readRecord(driver, keys, ns),

    async createNamespace(ns, blob) {
      for (;;) {
        const made = [bytes(ns), randomNumber(), randomNumber(), bytes(blob)];
        const [generation, stored] = await driver.run<Buffer[]>(scripts.createNamespace, tagOf(ns), made);
        if (generation && stored) return recordOf(ns, generation, stored);
        await removeDropped(ns); // what an erasure left behind goes first
      }
    },

    async replaceNamespace(ref: NamespaceRef, before, blob) {
      const change = [bytes(ref.ns), String(ref.generation), bytes(before), bytes(blob)];
      return (await driver.run<number>(scripts.replaceNamespace, tagOf(ref.ns), change)) === 1;
    },

    async listNamespaces(limit, afterNs) {
      const bounds = [afterBound(afterNs), String(limit)];
      const found = await eachBucket(
        async (bucket) =>
          recordsOf(await driver.run<Buffer[]>(scripts.listNamespaces, keys.tag(bucket), bounds)),
        afterNs ? bucketOf(afterNs) : 0,
        (pages) => pages.reduce((sum, page) => sum + page.length, 0) >= limit,
      );
      return found.flat().slice(0, limit);
    },

    async dropNamespace(ns) {
      const rows = await driver.run<number>(scripts.dropNamespace, tagOf(ns), [bytes(ns), ...origin]);
      await removeDropped(ns);
      log?.soon();
      return rows;
    },

    sweep,

    async probe() {
      await driver.send(keys.probe, ['SET', keys.probe, '1', 'PX', '60000']);
    },

    async close() {
      await log?.close();
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

type UsedKind = [ns: Buffer, kind: Buffer, rows: number, bytes: number];

function usedOf(used: readonly UsedKind[]): Usage[] {
  return used.map(([ns, kind, rows, bytes]) => ({
    ns: new Uint8Array(ns),
    kind: String(kind) as Kind,
    rows,
    bytes,
  }));
}

function recordsOf(flat: readonly Buffer[]): NamespaceRecord[] {
  return flat.flatMap((ns, i) => (i % 3 ? [] : [recordOf(ns, flat[i + 1]!, flat[i + 2]!)]));
}

function recordOf(ns: Uint8Array, generation: Buffer, blob: Buffer): NamespaceRecord {
  return { ns: new Uint8Array(ns), generation: numberOf(generation), blob: new Uint8Array(blob) };
}

const numberOf = (text: Buffer | null | undefined) => Number(text?.toString('latin1') ?? 0);

/** The client writes a command later than it is given one: callers may have reused their buffer by then. */
const bytes = (of: Uint8Array) => Buffer.from(of);

const afterBound = (ns: Uint8Array | undefined) => (ns ? Buffer.concat([Buffer.from('('), ns]) : '-');
