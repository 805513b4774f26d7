import { ApiError, callApi } from './call-api.ts';
import type { ReadOptions } from './fact-api.ts';
import type { Operations } from './generated/rest.ts';

// Proposals: what waits for a person's decision.

type InboxQuery = NonNullable<Operations['GET /api/v1/memory/inbox']['query']>;
export type Inbox = Operations['GET /api/v1/memory/inbox']['response'];
export type Proposal = Inbox['proposals'][number];
export type ProposalEdits = NonNullable<Operations['POST /api/v1/memory/inbox/{proposal}/accept']['body']>;

export const listInbox = (query: Omit<InboxQuery, 'caller'>, { signal }: Pick<ReadOptions, 'signal'>) =>
  callApi('GET /api/v1/memory/inbox', { query, signal });

export const acceptProposal = (id: string, body: ProposalEdits, options: { keepalive: boolean }) =>
  callApi('POST /api/v1/memory/inbox/{proposal}/accept', { path: { proposal: id }, body, ...options });

export const rejectProposal = (id: string, options: { keepalive: boolean }) =>
  callApi('POST /api/v1/memory/inbox/{proposal}/reject', { path: { proposal: id }, ...options });

/** Decides about several; returns why each of the failed ones failed, by id. */
export async function decideProposals(
  body: { accept: string[]; reject: string[] },
  query: { space?: string } = {},
): Promise<Map<string, ApiError>> {
  const { results } = await callApi('POST /api/v1/memory/inbox/decide', { query, body });
  const failed = new Map<string, ApiError>();
  for (const result of results) if ('error' in result) failed.set(result.id, new ApiError(400, result));
  return failed;
}
