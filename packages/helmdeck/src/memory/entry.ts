import type { Trust } from './gate/trust.ts';

/** The types of rows. The server sets the kind; it is never inferred from a key or a category. */
export const KINDS = [
  'fact',
  'version',
  'note',
  'disagreement',
  // What waits in the inbox: proposed and quarantined texts.
  'proposal',
  'quarantine',
  // Fingerprints of declined texts, and answers to decisions, for repeated requests.
  'declined',
  'decision',
  'audit.pack',
  'audit.pipeline',
  'audit.plan',
  'recall',
  'recall-count',
  'cache',
  'idempotency',
  'vector',
  'session',
  'job',
  'pipeline',
  'run',
  'procedure',
  'artifact',
  // In the system namespace only.
  'directory',
  'token',
  'revocation',
  'connect-code',
  'oauth-client',
  'oauth-code',
  'account',
  'attempt',
  'issuer',
  'access',
  'receipt-key',
  'space',
  'space-grant',
  'space-member',
  // In the vault only.
  'secret',
] as const;

export type Kind = (typeof KINDS)[number];

/** Run records: what packs and pipelines did, as opposed to what a caller stored. */
export const RUN_KINDS: readonly Kind[] = ['audit.pack', 'audit.pipeline', 'audit.plan'];

/** Rows that wait in the inbox. No read of facts lists these kinds, so none can return them. */
export const PROPOSAL_KINDS = ['proposal', 'quarantine'] as const satisfies readonly Kind[];
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

/** Where a version came from. Set by the server, never by the caller. */
export interface Source {
  surface: string;
  client?: string;
  token_id?: string;
  /** In a space: who wrote it, as an alias that `memory/spaces/` has the name of. */
  by?: string;
}

/** The fact of a person's own memory that a fact of a space was copied from. */
export interface Promotion {
  version: number;
  atMs: number;
  /** As in `Source`. */
  by: string;
}

/** Which values a run was given and returned: keyed fingerprints by path, so that a value can be followed but not read. */
export interface ValueTrace {
  in: Record<string, string>;
  out: Record<string, string>;
  session?: string;
}

/** The sealed part of an entry: everything that a person could read something from. */
export interface EntryContent {
  key: string;
  value: string;
  category?: string;
  tags?: string[];
  /** The project that a fact is about. */
  project?: string;
  source?: Source;
  /** How far its origin is trusted; absent in rows of earlier versions, see `trustOfSource`. */
  trust?: Trust;
  /** Why a proposal waits for a person. */
  reason?: string;
  /** The sentence that a proposal was taken from. */
  quote?: string;
  /** Of a proposal: the keys of the facts that it would replace. */
  replaces?: string[];
  /** The session that a working note belongs to. */
  session?: string;
  /** Counts the values of one key, from 1. A row's `rev` counts writes instead. */
  version?: number;
  /** When the value was last written, if that differs from the row's `updatedMs` (a renewed fact). */
  valueAtMs?: number;
  /** The fact's TTL, if it is not `expiresMs` − `valueAtMs`: set by a renewal or an import. */
  ttlSeconds?: number;
  /** When the fact was last confirmed, if not by the store of its value. */
  confirmedAtMs?: number;
  confirmedBy?: Source;
  /** In a space: set by a promotion. */
  promotedFrom?: Promotion;
  /** The fact's own review period; otherwise that of the configuration applies. */
  reviewAfterSeconds?: number;
  /** Of a run record. */
  trace?: ValueTrace;
}

/** A decrypted row. */
export interface Entry extends EntryContent {
  id: Buffer;
  kind: Kind;
  rev: number;
  seq: number;
  createdMs: number;
  updatedMs: number;
  /** `null` only for rows that are deleted with another row, for the vault's rows and for system rows. */
  expiresMs: number | null;
}

/** Whether a row has not expired. It expires when now ≥ `expiresMs`, exact to the millisecond, swept or not. */
export function isLive(row: { expiresMs: number | null }, nowMs: number): boolean {
  return row.expiresMs === null || nowMs < row.expiresMs;
}
