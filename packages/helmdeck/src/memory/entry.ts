/** What an entry is. Set by the server, never inferred from a key or a category. */
export const KINDS = [
  'fact',
  'version',
  'note',
  'audit.pack',
  'audit.pipeline',
  'cache',
  'idempotency',
  'vector',
  'session',
  'job',
  'pipeline',
  'run',
  'artifact',
  // The system namespace's own kinds.
  'directory',
  'token',
  'access',
  'receipt-key',
  // The vault's own.
  'secret',
] as const;

export type Kind = (typeof KINDS)[number];

/** Run records: what packs and pipelines did, as opposed to what a caller stored. */
export const RUN_KINDS: readonly Kind[] = ['audit.pack', 'audit.pipeline'];

/** Where a version came from: stamped by the server, never by the caller. */
export interface Source {
  surface: string;
  client?: string;
  token_id?: string;
}

/** What is sealed: everything about an entry that means something to a person. */
export interface EntryContent {
  key: string;
  value: string;
  category?: string;
  tags?: string[];
  source?: Source;
  /** The session that a working note belongs to. */
  session?: string;
  /** Counts values of one key, from 1; a row's `rev` counts writes. */
  version?: number;
  /** When the value was last written, where that differs from the row's own time (a renewed fact). */
  valueAtMs?: number;
}

/** A decrypted row. */
export interface Entry extends EntryContent {
  id: Buffer;
  kind: Kind;
  rev: number;
  seq: number;
  createdMs: number;
  updatedMs: number;
  /** `null` only for rows that live and die with another row, for the vault's, and for the system's own. */
  expiresMs: number | null;
}

/** Expired means now ≥ expiry, at that very millisecond, before any sweep. */
export function isLive(row: { expiresMs: number | null }, nowMs: number): boolean {
  return row.expiresMs === null || nowMs < row.expiresMs;
}
