import { AppError } from '../../errors.ts';
import type { RedisAddress } from './address.ts';
import type { RedisDriver } from './driver.ts';

/** How well a server keeps what it is given; `undefined` where it does not say. */
export interface RedisDurability {
  version: string;
  /** `always`: on disk before the answer. `everysec`: within a second or two. `no`: when the operating system likes. */
  logged: 'always' | 'everysec' | 'no' | 'off' | undefined;
  snapshots: boolean | undefined;
  /** What happens when its memory is full; `undefined` when it has no limit. */
  eviction: string | undefined;
}

const OLDEST_VERSION = 7;

/** Asks every server of the address; the worst answer counts. */
export async function readKeeping(driver: RedisDriver): Promise<RedisDurability[]> {
  const infos = (await driver.askAll<Buffer>(['INFO'])).map((info) => fields(info.toString()));
  const settings = await driver
    .askAll<Buffer[]>(['CONFIG', 'GET', 'appendonly', 'appendfsync', 'save', 'maxmemory', 'maxmemory-policy'])
    .catch(() => []); // services that are run for you often hide it
  return infos.map((info, i) => keepingOf(info, settings[i] && pairs(settings[i])));
}

function keepingOf(info: Map<string, string>, settings: Map<string, string> | undefined): RedisDurability {
  const logs = info.get('aof_enabled') === '1';
  const fsync = settings?.get('appendfsync') as RedisDurability['logged'];
  const limited = Number(info.get('maxmemory') ?? 0) > 0;
  return {
    // Valkey also tells the version of Redis that it stands in for.
    version: info.get('redis_version') ?? '',
    logged: logs ? fsync : 'off',
    snapshots: settings && settings.get('save') !== '',
    eviction: limited ? info.get('maxmemory_policy') : undefined,
  };
}

function fields(info: string): Map<string, string> {
  return new Map([...info.matchAll(/^([a-z_]+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!]));
}

function pairs(flat: readonly Buffer[]): Map<string, string> {
  const texts = flat.map(String);
  return new Map(texts.flatMap((name, i) => (i % 2 ? [] : [[name, texts[i + 1]!] as const])));
}

/** Refuses a server that may lose rows without anybody being told. */
export function refuseForgetful(
  kept: readonly RedisDurability[],
  persistence: RedisAddress['persistence'],
): void {
  for (const { version, logged, snapshots, eviction } of kept) {
    if (Number.parseInt(version, 10) < OLDEST_VERSION) throw tooOld(version);
    if (persistence === 'managed') continue;
    if (eviction?.startsWith('allkeys')) throw evicts(eviction, 'volatile-lru or noeviction');
    if (persistence === 'cache-only') continue;
    if (eviction !== undefined && eviction !== 'noeviction') throw evicts(eviction, 'noeviction');
    if (logged === 'off' && !snapshots) throw keepsNothing(snapshots === undefined);
  }
}

function tooOld(version: string): AppError {
  return new AppError(
    'memory_unavailable',
    `This is Redis ${version}; Helmdeck needs 7 or later, or Valkey.`,
    {
      reason: 'too_old',
      hint: 'Upgrade Redis, or use another database.',
    },
  );
}

function evicts(policy: string, better: string): AppError {
  return new AppError(
    'memory_unavailable',
    `This Redis drops data when its memory is full (maxmemory-policy ${policy}).`,
    {
      reason: 'evicts',
      hint: `Set its maxmemory-policy to ${better}.`,
    },
  );
}

function keepsNothing(unsure: boolean): AppError {
  const message = unsure
    ? 'This Redis does not log its writes and does not say whether it saves snapshots.'
    : 'This Redis keeps nothing over a restart: appendonly is off and it saves no snapshots.';
  return new AppError('memory_unavailable', message, {
    reason: 'not_persistent',
    hint: unsure
      ? 'Switch appendonly on; or, if the service keeps its data by other means, add ?persistence=managed to the address.'
      : 'Set "appendonly yes" and "appendfsync always"; or, if losing everything is fine, add ?persistence=cache-only to the address.',
  });
}

/** What an operator should know although the server was taken; nothing when every acknowledged write is on disk. */
export function keepingWarning(
  kept: readonly RedisDurability[],
  persistence: RedisAddress['persistence'],
): string | undefined {
  if (persistence === 'managed')
    return 'How well this Redis keeps acknowledged writes was not checked (persistence=managed).';
  if (persistence === 'cache-only')
    return 'This Redis may lose acknowledged writes at any time (persistence=cache-only).';
  if (kept.some(({ logged }) => logged === 'off'))
    return 'This Redis saves snapshots only: when it crashes, what was acknowledged since the last one is lost. Set "appendonly yes" and "appendfsync always".';
  const lossy = kept.find(({ logged }) => logged !== 'always');
  if (!lossy) return undefined;
  const setting = lossy.logged ?? 'not known';
  return `appendfsync of this Redis is ${setting}: when it or its machine dies, the last second or two of acknowledged writes can be lost. Set "appendfsync always".`;
}
