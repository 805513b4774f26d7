import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { storeError } from '../store-errors.ts';
import type { RedisAddress } from './address.ts';
import type { RedisDriver } from './driver.ts';
import { BUSY } from './errors.ts';

/** The persistence settings of a server; `undefined` if it hides them. */
export interface RedisDurability {
  version: string;
  /** `always`: on disk before the reply. `everysec`: within two seconds. `no`: left to the kernel. `off`: no AOF. */
  aofSync: 'always' | 'everysec' | 'no' | 'off' | undefined;
  snapshots: boolean | undefined;
  /** The eviction policy; `undefined` if there is no memory limit. */
  evictionPolicy: string | undefined;
}

const MIN_MAJOR_VERSION = 7;

const LOADING_POLL_MS = 50;

/** Reads the settings of every server; all of them must be durable. Waits this long for servers that load their data. */
export async function readDurability(driver: RedisDriver, waitMs: number): Promise<RedisDurability[]> {
  const infos = await loadedInfos(driver, performance.now() + waitMs);
  const settings = await driver
    .sendToAll<Buffer[]>([
      'CONFIG',
      'GET',
      'appendonly',
      'appendfsync',
      'save',
      'maxmemory',
      'maxmemory-policy',
    ])
    .catch(() => []); // managed services often forbid CONFIG
  return infos.map((info, i) => durabilityOf(info, settings[i] && parsePairs(settings[i])));
}

/** While Redis loads its append-only file it reports that there is none. */
async function loadedInfos(driver: RedisDriver, deadlineMs: number): Promise<Map<string, string>[]> {
  for (;;) {
    const infos = (await driver.sendToAll<Buffer>(['INFO'])).map((info) => parseInfo(info.toString()));
    if (infos.every((info) => info.get('loading') !== '1')) return infos;
    if (performance.now() > deadlineMs) throw storeError(BUSY);
    await delay(LOADING_POLL_MS);
  }
}

function durabilityOf(info: Map<string, string>, settings: Map<string, string> | undefined): RedisDurability {
  const hasAof = info.get('aof_enabled') === '1';
  const appendfsync = settings?.get('appendfsync') as RedisDurability['aofSync'];
  const hasLimit = Number(info.get('maxmemory') ?? 0) > 0;
  return {
    // Valkey reports the compatible version of Redis here.
    version: info.get('redis_version') ?? '',
    aofSync: hasAof ? appendfsync : 'off',
    snapshots: settings && settings.get('save') !== '',
    evictionPolicy: hasLimit ? info.get('maxmemory_policy') : undefined,
  };
}

function parseInfo(info: string): Map<string, string> {
  return new Map([...info.matchAll(/^([a-z_]+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!]));
}

function parsePairs(flat: readonly Buffer[]): Map<string, string> {
  const texts = flat.map(String);
  return new Map(texts.flatMap((name, i) => (i % 2 ? [] : [[name, texts[i + 1]!] as const])));
}

/** Rejects a server that may lose rows silently. */
export function assertDurable(
  servers: readonly RedisDurability[],
  persistence: RedisAddress['persistence'],
): void {
  for (const { version, aofSync, snapshots, evictionPolicy } of servers) {
    if (Number.parseInt(version, 10) < MIN_MAJOR_VERSION) throw tooOld(version);
    if (persistence === 'managed') continue;
    if (evictionPolicy?.startsWith('allkeys')) throw evicts(evictionPolicy, 'volatile-lru or noeviction');
    if (persistence === 'cache-only') continue;
    if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction')
      throw evicts(evictionPolicy, 'noeviction');
    if (aofSync === 'off' && !snapshots) throw notPersistent(snapshots === undefined);
  }
}

function tooOld(version: string): AppError {
  return new AppError(
    'memory_unavailable',
    `The server runs Redis ${version}; Helmdeck needs Redis 7 or later, or Valkey.`,
    {
      reason: 'too_old',
      hint: 'Upgrade Redis, or use another database.',
    },
  );
}

function evicts(policy: string, allowed: string): AppError {
  return new AppError(
    'memory_unavailable',
    `Redis evicts data when its memory is full (maxmemory-policy ${policy}).`,
    {
      reason: 'evicts',
      hint: `Set its maxmemory-policy to ${allowed}.`,
    },
  );
}

function notPersistent(isUnknown: boolean): AppError {
  const message = isUnknown
    ? 'Redis has no append-only file (AOF) and does not report whether it saves snapshots.'
    : 'Redis would lose everything in a restart: appendonly is off and it saves no snapshots.';
  return new AppError('memory_unavailable', message, {
    reason: 'not_persistent',
    hint: isUnknown
      ? 'Turn appendonly on; or, if the service persists its data by other means, add ?persistence=managed to the address.'
      : 'Set "appendonly yes" and "appendfsync always"; or, if losing everything is acceptable, add ?persistence=cache-only to the address.',
  });
}

/** A warning for the operator if acknowledged writes may be lost although the server was accepted. */
export function durabilityWarning(
  servers: readonly RedisDurability[],
  persistence: RedisAddress['persistence'],
): string | undefined {
  if (persistence === 'managed')
    return 'The durability of acknowledged writes in Redis was not checked (persistence=managed).';
  if (persistence === 'cache-only')
    return 'Redis may lose acknowledged writes at any time (persistence=cache-only).';
  if (servers.some(({ aofSync }) => aofSync === 'off'))
    return 'Redis saves snapshots only: when it crashes, every write acknowledged since the last one is lost. Set "appendonly yes" and "appendfsync always".';
  const lossy = servers.find(({ aofSync }) => aofSync !== 'always');
  if (!lossy) return undefined;
  const setting = lossy.aofSync ?? 'unknown';
  return `appendfsync of Redis is ${setting}: when it or its machine crashes, the last second or two of acknowledged writes can be lost. Set "appendfsync always".`;
}
