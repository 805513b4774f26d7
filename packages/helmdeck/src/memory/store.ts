import type { Kind } from './entry.ts';

/** A sealed row, as a back-end sees it. Its content cannot be read without the keyring. */
export interface Row {
  /** 16 random-looking bytes, unique within the namespace. */
  id: Uint8Array;
  kind: Kind;
  /** 16 random-looking bytes shared by the rows of one category, pack or parent; a child's group is its parent's id. */
  group: Uint8Array | null;
  body: Uint8Array;
  /** Counts writes of this id, from 1. */
  rev: number;
  /** Sequence number in the namespace's order of changes: assigned by the store, strictly increasing, never reused. */
  seq: number;
  createdMs: number;
  updatedMs: number;
  expiresMs: number | null;
}

/** A namespace as the store knows it. One that is dropped and created again gets a new generation. */
export interface NamespaceRecord {
  ns: Uint8Array;
  generation: number;
  /** The wrapped data key and the sealed name. */
  blob: Uint8Array;
}

/** Identifies one generation of a namespace. */
export type NamespaceRef = Pick<NamespaceRecord, 'ns' | 'generation'>;

export type Op =
  /** `ifRev`: the id's revision before this batch, 0 for "no such row". */
  | { type: 'put'; row: Omit<Row, 'seq'>; ifRev?: number }
  | { type: 'delete'; id: Uint8Array; ifRev?: number }
  /** Deletes rows that match `kinds` and `group`, where given: all of them, or at most `limit`. */
  | { type: 'deleteWhere'; kinds?: readonly Kind[]; group?: Uint8Array; limit?: number };

export interface ApplyResult {
  /** The namespace's seq after the batch. */
  seq: number;
  /** Rows removed by `delete` and `deleteWhere`, not counting children. */
  deleted: number;
}

export interface ScanOptions {
  /** Only these kinds; all if absent. */
  kinds?: readonly Kind[];
  group?: Uint8Array;
  /** Only rows changed after this seq (ascending), or before `beforeSeq` (with `newestFirst`). */
  afterSeq?: number;
  beforeSeq?: number;
  newestFirst?: boolean;
  /** Page size. A full page means there may be more: continue after (or before) its last seq. */
  limit: number;
}

export interface Tombstone {
  id: Uint8Array;
  seq: number;
}

/** Identifies a row by seq and the start of its id. The seq alone is not enough: it restarts when a namespace is dropped. */
export interface RowMark {
  seq: number;
  idStart: number;
}

/** The first six bytes of the id that begins at `from`, as a number. */
export function idStartOf(bytes: Uint8Array, from = 0): number {
  let start = 0;
  for (let at = from; at < from + 6; at++) start = start * 256 + (bytes[at] ?? 0);
  return start;
}

/** The position of a namespace. `seq` grows with every write; `epoch` when images must be rebuilt: bulk delete, drop, pruned tombstones. */
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

/** What a store holds altogether. */
export interface StoreTotals {
  namespaces: number;
  kinds: { kind: Kind; rows: number; bytes: number }[];
}

/** The connections of this process to a database server, and what happened to them so far. */
export interface DatabaseConnections {
  /** Connections that are ready. */
  open: number;
  /** Calls that have no response yet. */
  pendingCalls: number;
  /** Connections that were ready and then broke. */
  lost: number;
  /** Connections that became ready in place of a lost one. */
  reconnects: number;
  /** For a back-end with a pool: connections with pending calls, and how many there may be. */
  pool?: { busy: number; max: number };
}

/** A row that `sweep` removed, returned so that its owner can be notified. */
export type SweptRow = Row & { ns: Uint8Array };

/** Why a batch was not applied. Back-ends throw this instead of their own errors for conflicts a caller must handle. */
export class StoreConflict extends Error {
  readonly kind: 'rev' | 'gone';
  constructor(kind: 'rev' | 'gone') {
    super(kind === 'rev' ? 'a row changed first' : 'the namespace is gone');
    this.name = 'StoreConflict';
    this.kind = kind;
  }
}

/**
 * A notice between processes that share a store: the changes after `afterSeq`, up to `seq`, were written. Expiry assigns
 * no seq, so a notice about swept rows has equal `afterSeq` and `seq`.
 */
export interface Notice {
  ns: Uint8Array;
  afterSeq: number;
  seq: number;
  /** How many rows were removed, if any. */
  deleted?: number;
}

/**
 * Additional operations of a back-end that several processes can use together (PostgreSQL, Redis): notices of changes by
 * other processes, and leases. Lease names and holders are stored in plaintext, so they must not contain anything about a caller.
 */
export interface Sharing {
  /**
   * Reports writes by other processes, never this process's own, within well under a second. A notice is sent after its
   * commit and may be lost: `undefined` means that some may have been. Use notices to push changes to subscribers; a read
   * must check `position` instead. A dropped namespace is reported with `seq` 0. Returns a function that unsubscribes.
   */
  watch(listener: (notice: Notice | undefined) => void): () => void;
  /** Acquires a lease that is free, expired or already the holder's, for `ttlMs` by the store's clock; false otherwise. */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /** The current holder of a lease. */
  leaseHolder(name: string): Promise<string | undefined>;
  /** Releases a lease before it expires; has no effect on a lease of another holder. */
  releaseLease(name: string, holder: string): Promise<void>;
}

/**
 * The interface between Helmdeck and a database: rows of bytes, looked up by equality only. Every back-end guarantees:
 *
 * - `apply` is atomic, and durable when it resolves. Preconditions (`ifRev`) are checked against the state before the
 *   batch; if one fails, nothing is written and `apply` rejects with `StoreConflict('rev')`. A batch for another
 *   generation of the namespace rejects with `StoreConflict('gone')`.
 * - Deletes cascade: `delete`, `deleteWhere` and `sweep` also remove a row's children (rows whose group is its id) and
 *   their children.
 * - Every `put` and `delete` gives the namespace a new seq. A `delete` that removed a row leaves a tombstone for an hour.
 *   A `deleteWhere` that removed a row increments the epoch instead. `sweep` changes neither, but leaves a tombstone at
 *   the seq of a row that had been rewritten, because an image may still hold it with an older, longer expiry.
 * - Reads return expired rows. The reader calls `isLive`, so that expiry is exact to the millisecond.
 *
 * `storeContract` in `helmdeck/testing` tests all of this.
 */
export interface Store {
  /** Present if other processes may use the same data. Anything cached from the store must then be revalidated. */
  readonly sharing?: Sharing;

  apply(ref: NamespaceRef, ops: readonly Op[]): Promise<ApplyResult>;
  get(ns: Uint8Array, id: Uint8Array): Promise<Row | undefined>;
  scan(ns: Uint8Array, options: ScanOptions): Promise<Row[]>;
  /** The rows of a kind after a seq, in order, without their content. May include expired rows that are already gone. */
  marks(ns: Uint8Array, kind: Kind, afterSeq: number, limit: number): Promise<RowMark[]>;
  /** Deletions after a seq, oldest first: the first `limit`, or all. */
  tombstones(ns: Uint8Array, afterSeq: number, limit?: number): Promise<Tombstone[]>;
  position(ns: Uint8Array): Promise<Position>;
  /** Live rows by kind, of one namespace or of all. A row whose parent has expired is not live. */
  usage(nowMs: number, ns?: Uint8Array): Promise<Usage[]>;
  /**
   * Namespaces, and rows by kind, of the whole store; expired rows count until they are swept. For metrics: absent where
   * only a pass over every namespace could tell.
   */
  totals?(): Promise<StoreTotals>;
  /** For metrics: present on a database server. */
  connections?(): DatabaseConnections;

  getNamespace(ns: Uint8Array): Promise<NamespaceRecord | undefined>;
  /** Creates the namespace unless it exists; returns the existing or new record. */
  createNamespace(ns: Uint8Array, blob: Uint8Array): Promise<NamespaceRecord>;
  /** Compare-and-set: replaces the blob of that generation if it still equals `before`; false otherwise. */
  replaceNamespace(ref: NamespaceRef, before: Uint8Array, blob: Uint8Array): Promise<boolean>;
  /** In ascending order of ids, after `afterNs`. */
  listNamespaces(limit: number, afterNs?: Uint8Array): Promise<NamespaceRecord[]>;
  /** Removes the namespace with all its rows and leaves no trace of its blob on disk; returns the rows removed. */
  dropNamespace(ns: Uint8Array): Promise<number>;

  /** Removes up to `limit` expired rows with their children and prunes tombstones older than an hour. */
  sweep(nowMs: number, limit: number): Promise<SweptRow[]>;
  /** Makes a test write that reaches the disk; throws `memory_unavailable` if it fails. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The read operations on a namespace's rows. */
export type RowReads = Pick<Store, 'get' | 'scan' | 'marks' | 'tombstones' | 'position'>;

export const TOMBSTONE_MS = 3_600_000;
