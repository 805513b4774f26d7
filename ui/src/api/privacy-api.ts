import { callApi, callForResponse } from './call-api.ts';
import type { Reading } from './fact-api.ts';

interface Used {
  used: number;
  limit: number | null;
}

export interface Stats {
  scope: string;
  counts: Record<string, number>;
  bytes: number;
  quota: { facts: Used; bytes: Used };
  /** `null` where it was not looked for. */
  unreadable_rows: number | null;
  oldest: string | null;
  next_expiry: string | null;
  embeddings: Embeddings | null;
  key_id: string;
  key_ephemeral: boolean;
  rotation: { total: number; done: number; unreadable: number; finished: boolean };
}

export interface Embeddings {
  model: string;
  state: 'idle' | 'working' | 'backing_off';
  indexed: number;
  waiting: number;
  problem?: string;
}

export interface AuditRecord {
  n: number;
  at: string;
  action: string;
  actor: string;
  target?: string;
  detail?: string;
}

export interface ImportLine {
  line: number;
  status: 'stored' | 'unchanged' | 'skipped' | 'failed';
  key?: string;
  reason?: string;
  error?: { error: string; message: string };
}

export interface ImportReport {
  dry_run: boolean;
  stored: number;
  unchanged: number;
  skipped: number;
  failed: number;
  lines: ImportLine[];
  lines_omitted?: number;
}

export interface Receipt {
  receipt_id: string;
  namespace_digest: string;
  rows: number;
  erased_at: string;
  not_covered: string[];
  public_key: string;
  signature: string;
}

/** Looking for rows that cannot be read takes opening all of them; everything else comes at once. */
export const readStats = ({ caller, signal, checkRows }: Reading & { checkRows: boolean }) =>
  callApi<Stats>('/memory/stats', { query: { caller, check: checkRows ? undefined : 0 }, signal });

export const exportFacts = async () => (await callForResponse('/memory/export')).blob();

export const importFacts = (file: Blob, dryRun: boolean) =>
  callApi<ImportReport>('/memory/import', {
    method: 'POST',
    query: { dry_run: dryRun ? 1 : undefined },
    headers: { 'content-type': 'application/x-ndjson' },
    body: file,
  });

export const eraseEverything = (caller: string | undefined) =>
  callApi<{ deleted: number; receipt: Receipt }>('/memory/forget', {
    method: 'POST',
    body: { scope: 'erase', confirm: true, caller },
  });

const LISTED_CALLERS = 200;
export const readCallers = () =>
  callApi<{ callers: { namespace: string; count: number }[]; next_cursor?: string }>('/memory/callers', {
    query: { limit: LISTED_CALLERS },
  });

const LISTED_RECORDS = 10;
export const readAudit = () =>
  callApi<{ records: AuditRecord[] }>('/audit', { query: { limit: LISTED_RECORDS } });
