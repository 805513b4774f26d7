import { AppError } from '../../errors.ts';
import type { Kind } from '../../memory/entry.ts';
import {
  idStartOf,
  type NamespaceRecord,
  type NamespaceRef,
  type Op,
  type ScanOptions,
  type Store,
  type SweptRow,
} from '../../memory/store.ts';
import {
  applyBatch,
  copy,
  copyRecord,
  copyRow,
  getOrCreate,
  keyOf,
  newSpace,
  replaceBlob,
  type Space,
  scan,
  sweep,
  usage,
} from './space.ts';

/** A store in the memory of the process: for tests, trials and servers without persistence. */
export function createInMemoryStore(options: { now: () => number }): Store {
  const spaces = new Map<string, Space>();
  let closed = false;

  // Async, so that every error reaches the caller as a rejection.
  const whileOpen =
    <Args extends unknown[], Result>(method: (...args: Args) => Result) =>
    async (...args: Args): Promise<Result> => {
      if (closed) throw new AppError('memory_unavailable', 'The memory store is closed.');
      return method(...args);
    };
  const find = (ns: Uint8Array) => spaces.get(keyOf(ns));

  return {
    apply: whileOpen((ref: NamespaceRef, ops: readonly Op[]) =>
      applyBatch(find(ref.ns), ref, ops, options.now()),
    ),
    get: whileOpen((ns: Uint8Array, id: Uint8Array) => {
      const row = find(ns)?.rows.get(keyOf(id));
      return row && copyRow(row);
    }),
    scan: whileOpen((ns: Uint8Array, scanOptions: ScanOptions) => scan(find(ns), scanOptions)),
    marks: whileOpen((ns: Uint8Array, kind: Kind, afterSeq: number, limit: number) => {
      const rows = scan(find(ns), { kinds: [kind], afterSeq, limit });
      return rows.map(({ seq, id }) => ({ seq, idStart: idStartOf(id) }));
    }),
    tombstones: whileOpen((ns: Uint8Array, afterSeq: number, limit?: number) => {
      const after = (find(ns)?.tombstones ?? [])
        .filter(({ seq }) => seq > afterSeq)
        .sort((a, b) => a.seq - b.seq);
      return after.slice(0, limit).map(({ id, seq }) => ({ id: copy(id), seq }));
    }),
    position: whileOpen((ns: Uint8Array) => {
      const { seq, epoch } = find(ns) ?? { seq: 0, epoch: 0 };
      return { seq, epoch };
    }),
    usage: whileOpen((nowMs: number, ns?: Uint8Array) => {
      const selected = ns ? [find(ns)] : [...spaces.values()];
      return selected.flatMap((space) => (space ? usage(space, nowMs) : []));
    }),
    totals: whileOpen(() => {
      const every = [...spaces.values()].flatMap((space) => usage(space, Number.NEGATIVE_INFINITY));
      const kinds = [...Map.groupBy(every, ({ kind }) => kind)].map(([kind, each]) => ({
        kind,
        rows: each.reduce((sum, { rows }) => sum + rows, 0),
        bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
      }));
      return { namespaces: spaces.size, kinds };
    }),
    getNamespace: whileOpen((ns: Uint8Array) => {
      const space = find(ns);
      return space && copyRecord(space);
    }),
    createNamespace: whileOpen((ns: Uint8Array, blob: Uint8Array) =>
      copyRecord(getOrCreate(spaces, keyOf(ns), () => newSpace(ns, blob))),
    ),
    replaceNamespace: whileOpen((ref: NamespaceRef, before: Uint8Array, blob: Uint8Array) =>
      replaceBlob(find(ref.ns), ref, before, blob),
    ),
    listNamespaces: whileOpen((limit: number, afterNs?: Uint8Array) => list(spaces, limit, afterNs)),
    dropNamespace: whileOpen((ns: Uint8Array) => drop(spaces, ns)),
    sweep: whileOpen((nowMs: number, limit: number) => {
      const swept: SweptRow[] = [];
      for (const space of spaces.values()) {
        for (const row of sweep(space, nowMs, limit - swept.length)) swept.push(row);
      }
      return swept;
    }),
    probe: whileOpen(() => undefined),
    close: async () => {
      closed = true;
      spaces.clear();
    },
  };
}

function list(spaces: Map<string, Space>, limit: number, afterNs?: Uint8Array): NamespaceRecord[] {
  const after = afterNs && keyOf(afterNs);
  const keys = [...spaces.keys()].filter((key) => after === undefined || key > after).sort();
  return keys.slice(0, limit).map((key) => copyRecord(spaces.get(key)!));
}

function drop(spaces: Map<string, Space>, ns: Uint8Array): number {
  const space = spaces.get(keyOf(ns));
  if (!space) return 0;
  spaces.delete(keyOf(ns));
  // The wrapped key must not stay in the heap until garbage collection.
  space.blob.fill(0);
  return space.rows.size;
}
