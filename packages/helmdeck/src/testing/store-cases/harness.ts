import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Kind } from '../../memory/entry.ts';
import type { NamespaceRecord, Op, Row, ScanOptions, Store } from '../../memory/store.ts';

/** An empty store that is opened for one test. */
export interface StoreHarness {
  store: Store;
  now(): number;
  advance(ms: number): void;
  /** Closes the store and reopens the same data; absent if the back-end is not persistent. */
  reopen?(): Promise<Store>;
  /** Opens the same data a second time, as another process would; absent if only one process can use it. */
  another?(): Promise<Store>;
  close(): Promise<void>;
}

/** Registers a test with its own harness; `skip` ends it with a reason. */
export type TestCase = (
  title: string,
  body: (harness: StoreHarness, skip: (reason: string) => never) => Promise<void>,
) => void;

/** A row before the store assigns its seq. */
export type NewRow = Omit<Row, 'seq'>;

export const BASE_TIME_MS = Date.UTC(2026, 0, 1);

/** 16 pseudo-random bytes derived from the label. */
export function idOf(label: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(label).digest().subarray(0, 16));
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function rowOf(label: string, over: Partial<NewRow> = {}): NewRow {
  return {
    id: idOf(label),
    kind: 'fact',
    group: null,
    body: bytesOf(`body of ${label}`),
    rev: 1,
    createdMs: BASE_TIME_MS,
    updatedMs: BASE_TIME_MS,
    expiresMs: null,
    ...over,
  };
}

export function put(row: NewRow, ifRev?: number): Op {
  return ifRev === undefined ? { type: 'put', row } : { type: 'put', row, ifRev };
}

export function remove(label: string, ifRev?: number): Op {
  return ifRev === undefined
    ? { type: 'delete', id: idOf(label) }
    : { type: 'delete', id: idOf(label), ifRev };
}

export function makeNamespace(store: Store, label = 'namespace'): Promise<NamespaceRecord> {
  return store.createNamespace(idOf(label), bytesOf(`blob of ${label}`));
}

/** A row without its seq, comparable by value whatever byte type the back-end returns. */
export function plain(row: NewRow): Record<string, string | number | null> {
  return {
    id: hex(row.id),
    kind: row.kind,
    group: row.group === null ? null : hex(row.group),
    body: hex(row.body),
    rev: row.rev,
    createdMs: row.createdMs,
    updatedMs: row.updatedMs,
    expiresMs: row.expiresMs,
  };
}

export function idsOf(rows: readonly { id: Uint8Array }[]): string[] {
  return rows.map((row) => hex(row.id));
}

export function labelled(...labels: string[]): string[] {
  return labels.map((label) => hex(idOf(label)));
}

/** Every row of a scan, read page by page as the contract describes. */
export async function scanAll(
  store: Store,
  ns: Uint8Array,
  options: Omit<ScanOptions, 'limit'> = {},
  limit = 100,
): Promise<Row[]> {
  const rows: Row[] = [];
  let bounds: Pick<ScanOptions, 'afterSeq' | 'beforeSeq'> = {};
  for (;;) {
    const page = await store.scan(ns, { ...options, ...bounds, limit });
    expect(page.length, 'a page is never longer than its limit').toBeLessThanOrEqual(limit);
    rows.push(...page);
    if (page.length < limit) return rows;
    const last = page.at(-1)!.seq;
    // A back-end that returns the same page again must fail here, not hang.
    expect([bounds.afterSeq, bounds.beforeSeq], 'the next page starts after the last row').not.toContain(
      last,
    );
    bounds = options.newestFirst ? { beforeSeq: last } : { afterSeq: last };
  }
}

/** Usage as `{kind: [rows, bytes]}` of one namespace; kinds without rows may or may not be reported. */
export async function usageByKind(
  store: Store,
  nowMs: number,
  ns: Uint8Array,
): Promise<Partial<Record<Kind, [number, number]>>> {
  const result: Partial<Record<Kind, [number, number]>> = {};
  for (const usage of await store.usage(nowMs, ns)) {
    expect(hex(usage.ns), 'usage of one namespace contains only that one').toBe(hex(ns));
    expect(result[usage.kind], `${usage.kind} is reported once`).toBeUndefined();
    if (usage.rows > 0) result[usage.kind] = [usage.rows, usage.bytes];
  }
  return result;
}

/** The errors of a rejected batch. */
export const REV_CONFLICT = { name: 'StoreConflict', kind: 'rev' };
export const GONE = { name: 'StoreConflict', kind: 'gone' };
