import { callApi } from './call-api.ts';
import type { CallerReadOptions, ReadOptions } from './fact-api.ts';
import type { Operations } from './generated/rest.ts';

// What a person reviews: disagreements between facts, and what agents asked.

type RecallsQuery = NonNullable<Operations['GET /api/v1/memory/recalls']['query']>;

export const listDisagreements = ({ signal, ...whose }: ReadOptions) =>
  callApi('GET /api/v1/memory/disagreements', { query: whose, signal });

export const settleDisagreement = (disagreement: string, options: { keepalive?: boolean }) =>
  callApi('POST /api/v1/memory/disagreements/{disagreement}/settle', { path: { disagreement }, ...options });

export const readStartNotes = (folder: string, { caller, signal }: CallerReadOptions) =>
  callApi('GET /api/v1/memory/start-notes', { query: { folder: folder || undefined, caller }, signal });

/** What an agent would be told before this prompt. A look of the web UI is not logged as a recall. */
export const readPromptNotes = (prompt: string, { signal }: Pick<ReadOptions, 'signal'>) =>
  callApi('POST /api/v1/memory/prompt-notes', { body: { prompt }, signal });

export const listRecalls = (query: Omit<RecallsQuery, 'caller'>, { caller, signal }: CallerReadOptions) =>
  callApi('GET /api/v1/memory/recalls', { query: { ...query, caller }, signal });

/** Says that a fact is still true, if nothing has changed it since it was read. */
export const confirmFact = (key: string, version: number, options: { keepalive?: boolean } = {}) =>
  callApi('POST /api/v1/memory/facts/{key}/confirm', {
    path: { key },
    body: { if_version: version },
    ...options,
  });
