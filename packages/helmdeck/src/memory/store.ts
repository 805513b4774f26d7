import type { Kind } from './entry.ts';

/** A sealed row: what a back-end sees. Nothing in it is readable without the keyring. */
export interface Row {
  /** 16 random-looking bytes, unique within the namespace. */
  id: Uint8Array;
  kind: Kind;
  /** 16 random-looking bytes that rows of one category, pack or parent share; a child's group is its parent's id. */
  group: Uint8Array | null;
  body: Uint8Array;
  /** Counts writes of this id, from 1. */
  rev: number;
  /** Position in the namespace's order of changes; given by the store, strictly growing, never reused. */
  seq: number;
  createdMs: number;
  updatedMs: number;
  expiresMs: number | null;
}

/** A namespace as the store knows it. A namespace that is dropped and made again has another generation. */
export interface NamespaceRecord {
  ns: Uint8Array;
  generation: number;
  /** The wrapped data key and the sealed name. */
  blob: Uint8Array;
}

/** Which life of which namespace a caller means. */
export type NamespaceRef = Pick<NamespaceRecord, 'ns' | 'generation'>;

export type Op =
  /** `ifRev`: the id's revision before this batch, 0 for "no such row". */
  | { type: 'put'; row: Omit<Row, 'seq'>; ifRev?: number }
  | { type: 'delete'; id: Uint8Array; ifRev?: number }
  /** Deletes rows that have one of the kinds AND the group, where given: all of them, or at most `limit`. */
  | { type: 'deleteWhere'; kinds?: readonly Kind[]; group?: Uint8Array; limit?: number };

export interface Applied {
  /** The namespace's seq after the batch. */
  seq: number;
  /** Rows removed by `delete` and `deleteWhere`, children not counted. */
  deleted: number;
}

export interface ScanOptions {
  /** Only these kinds; all when absent. */
  kinds?: readonly Kind[];
  group?: Uint8Array;
  /** Only rows changed after this position (ascending), or before `beforeSeq` (with `newestFirst`). */
  afterSeq?: number;
  beforeSeq?: number;
  newestFirst?: boolean;
  /** Page size; a full page means there may be more: go on after (or before) its last seq. */
  limit: number;
}

export interface Tombstone {
  id: Uint8Array;
  seq: number;
}

/** A row by its position and the beginning of its id: positions alone begin anew with a namespace that was dropped. */
export interface RowMark {
  seq: number;
  idStart: number;
}

/** The first six bytes of an id, which begins there, as a number. */
export function idStartOf(bytes: Uint8Array, from = 0): number {
  let start = 0;
  for (let at = from; at < from + 6; at++) start = start * 256 + (bytes[at] ?? 0);
  return start;
}

/** `seq` moves with every write, `epoch` only when images must be loaded anew: bulk delete, drop, tombstones pruned. */
export interface Position {
  seq: number;
  epoch: number;
}

/** Rows and body bytes of one kind in one namespace. */
export interface Usage {
  ns: Uint8Array;
  kind: Kind;
  rows: number;
  bytes: number;
}

/** A row that `sweep` took away, so that its owner can be told. */
export type SweptRow = Row & { ns: Uint8Array };

/** Why a batch was not applied. Back-ends throw this, never their own errors, for anything a caller may expect. */
export class StoreConflict extends Error {
  readonly kind: 'rev' | 'gone';
  constructor(kind: 'rev' | 'gone') {
    super(kind === 'rev' ? 'a row changed first' : 'the namespace is gone');
    this.name = 'StoreConflict';
    this.kind = kind;
  }
}

/**
 * What processes on one store tell each other: somebody wrote the changes after `afterSeq`, up to `seq`. Expiry has no
 * position: of rows that a sweep removed it is told with `afterSeq` and `seq` alike.
 */
export interface Notice {
  ns: Uint8Array;
  afterSeq: number;
  seq: number;
  /** Rows that were removed, where any were. */
  deleted?: number;
}

/**
 * What a back-end adds that several processes may use at once (PostgreSQL, Redis): changes made elsewhere, and work that
 * only one process shall do. Names and holders are kept as they are, so they hold nothing about a caller.
 */
export interface Sharing {
  /**
   * Tells of writes by other processes, in well under a second and never of this one's own. A notice is sent after its
   * commit and may get lost: `undefined` says that some may have been. It serves those who wait for news; whoever reads
   * asks `head`. A dropped namespace is told of with `seq` 0. Returns how to stop.
   */
  watch(listener: (notice: Notice | undefined) => void): () => void;
  /** Takes a lease that is free, over or already the holder's own, for so long by the store's clock; false otherwise. */
  takeLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Who holds a lease now. */
  leaseHolder(name: string): Promise<string | undefined>;
  /** Gives a lease back before it is over; one of somebody else stays. */
  endLease(name: string, holder: string): Promise<void>;
}

/**
 * The seam between Helmdeck and a database: rows of bytes, equality only.
 *
 * - `apply` is atomic and durable when it resolves. Preconditions are judged against the state before the batch;
 *   if one fails nothing of the batch is written and it rejects with `StoreConflict('rev')`. A batch for another
 *   generation of the namespace rejects with `StoreConflict('gone')`.
 * - A row's children (rows whose group is its id) and theirs go with it: in `delete`, `deleteWhere` and `sweep`.
 * - Every `put` and `delete` gives the namespace a new seq. A `delete` that removed a row leaves a tombstone for an
 *   hour; `deleteWhere` that removed a row moves the epoch instead. `sweep` moves neither, but leaves a tombstone at
 *   the seq of a row that had been rewritten: an image may know it by an older, longer expiry.
 * - Reads return expired rows: `isLive` is the reader's business, so that expiry is exact.
 * - `storeContract` in `helmdeck/testing` says all of this as tests.
 */
export interface Store {
  /** Present when other processes may use the same data. Whoever caches what the store says must then look again. */
  readonly sharing?: Sharing;

  apply(ref: NamespaceRef, ops: readonly Op[]): Promise<Applied>;
  get(ns: Uint8Array, id: Uint8Array): Promise<Row | undefined>;
  scan(ns: Uint8Array, options: ScanOptions): Promise<Row[]>;
  /** Which rows of a kind there are after a position, in order, without reading them. May name expired ones that are gone. */
  marks(ns: Uint8Array, kind: Kind, afterSeq: number, limit: number): Promise<RowMark[]>;
  /** Deletions after a position, oldest first; the first so many, or all. */
  tombstones(ns: Uint8Array, afterSeq: number, limit?: number): Promise<Tombstone[]>;
  position(ns: Uint8Array): Promise<Position>;
  /** Live rows by kind: of one namespace, or of all. A row whose parent has expired is not live. */
  usage(nowMs: number, ns?: Uint8Array): Promise<Usage[]>;

  getNamespace(ns: Uint8Array): Promise<NamespaceRecord | undefined>;
  /** Makes the namespace unless it exists; returns what is there afterwards. */
  createNamespace(ns: Uint8Array, blob: Uint8Array): Promise<NamespaceRecord>;
  /** Replaces the blob of that generation if it is still `before`; false when something changed first. */
  replaceNamespace(ref: NamespaceRef, before: Uint8Array, blob: Uint8Array): Promise<boolean>;
  /** In the order of ids, after `afterNs`. */
  listNamespaces(limit: number, afterNs?: Uint8Array): Promise<NamespaceRecord[]>;
  /** Removes the namespace with all its rows and leaves no trace of its blob; returns the rows removed. */
  dropNamespace(ns: Uint8Array): Promise<number>;

  /** Removes up to `limit` expired rows with their children and prunes tombstones older than an hour. */
  sweep(nowMs: number, limit: number): Promise<SweptRow[]>;
  /** Proves that a write reaches the disk; throws `memory_unavailable` when it does not. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** What can be read of a namespace's rows. */
export type RowReads = Pick<Store, 'get' | 'scan' | 'marks' | 'tombstones' | 'position'>;

export const TOMBSTONE_MS = 3_600_000;
