import { callApi, callForResponse } from './call-api.ts';
import type { CallerReadOptions } from './fact-api.ts';

// Health and privacy: stats, export, import, erase, callers, audit, backups.

/** Finding unreadable rows means opening every row; everything else comes at once. */
export const readStats = ({ caller, signal, checkRows }: CallerReadOptions & { checkRows: boolean }) =>
  callApi('GET /api/v1/memory/stats', { query: { caller, check: checkRows ? undefined : '0' }, signal });

export const exportFacts = async () => (await callForResponse('GET /api/v1/memory/export', {})).blob();

export const importFacts = (file: Blob, dryRun: boolean) =>
  callApi('POST /api/v1/memory/import', {
    query: { dry_run: dryRun ? '1' : undefined },
    headers: { 'content-type': 'application/x-ndjson' },
    body: file,
  });

/** Imports what another program remembers into the inbox, without the lines of `skip`. */
export const importForeign = (file: File, { dryRun, skip }: { dryRun: boolean; skip: readonly number[] }) =>
  callApi('POST /api/v1/memory/import', {
    query: {
      format: 'auto',
      name: file.name,
      dry_run: dryRun ? '1' : undefined,
      skip: skip.length === 0 ? undefined : skip.join(','),
    },
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });

export const eraseEverything = (caller: string | undefined) =>
  callApi('POST /api/v1/memory/forget', { body: { scope: 'erase', confirm: true, caller } });

const MAX_CALLERS = 200;
export const readCallers = () => callApi('GET /api/v1/memory/callers', { query: { limit: MAX_CALLERS } });

interface AuditQuery {
  actor?: string;
  target?: string;
  action?: string;
  limit: number;
  cursor?: string;
}
export const readAudit = (query: AuditQuery, signal: AbortSignal) =>
  callApi('GET /api/v1/audit', { query: { ...query }, signal });

export const verifyAudit = (signal: AbortSignal) => callApi('GET /api/v1/audit/verify', { signal });

export const readBackups = (signal: AbortSignal) => callApi('GET /api/v1/backups', { signal });
