import { AppError } from '../../errors.ts';
import type { Pack } from './pack.ts';

/** The packs that this server can run, by name and version. */
export interface PackRegistry {
  /** Adds a pack, or replaces the one of the same name and version. */
  register(pack: Pack): void;
  unregister(name: string, version: string): void;
  /** That version, or the latest; `not_found` otherwise. */
  get(name: string, version?: string): Pack;
  has(name: string, version?: string): boolean;
  /** All versions of a pack, oldest first. */
  versions(name: string): readonly Pack[];
  /** Names in alphabetical order. */
  names(): readonly string[];
  /** Changes whenever a pack is added, removed or replaced. */
  readonly revision: number;
  /** Notifies of packs that were added, removed or replaced; changes in the same tick give one notification. */
  subscribe(listener: () => void): () => void;
}

export function createPackRegistry(packs: readonly Pack[] = []): PackRegistry {
  const byName = new Map<string, Pack[]>();
  const listeners = new Set<() => void>();
  let revision = 0;
  let isNotifying = false;
  const changed = () => {
    revision++;
    if (isNotifying || listeners.size === 0) return;
    isNotifying = true;
    queueMicrotask(() => {
      isNotifying = false;
      for (const listener of listeners) listener();
    });
  };
  const find = (name: string, version?: string) => {
    const versions = byName.get(name);
    return version === undefined ? versions?.at(-1) : versions?.find((pack) => pack.version === version);
  };
  const others = (name: string, version: string) =>
    (byName.get(name) ?? []).filter((known) => known.version !== version);
  const registry: PackRegistry = {
    register(pack) {
      const versions = [...others(pack.name, pack.version), pack];
      byName.set(
        pack.name,
        versions.sort((a, b) => numberOf(a) - numberOf(b)),
      );
      changed();
    },
    unregister(name, version) {
      const left = others(name, version);
      if (left.length > 0) byName.set(name, left);
      else byName.delete(name);
      changed();
    },
    get(name, version) {
      const pack = find(name, version);
      if (!pack) {
        throw new AppError('not_found', 'There is no such pack or version.', {
          reason: 'unknown_pack',
          hint: 'GET /api/v1/packs lists them.',
        });
      }
      return pack;
    },
    has: (name, version) => find(name, version) !== undefined,
    versions: (name) => byName.get(name) ?? [],
    names: () => [...byName.keys()].sort(),
    get revision() {
      return revision;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  for (const pack of packs) registry.register(pack);
  return registry;
}

const numberOf = (pack: Pack) => Number(pack.version.slice(1));
