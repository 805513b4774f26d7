import type { OperationCaller } from './call-operation.ts';
import { type FactCalls, factCalls, type SearchQuery } from './fact-calls.ts';
import type {
  AcceptInput,
  ChangeEvent,
  ForgetResult,
  Inbox,
  Operations,
  RejectedProposal,
  SearchResults,
  StoreResult,
} from './generated/rest.ts';
import { readEvents } from './read-events.ts';

type InboxQuery = NonNullable<Operations['GET /api/v1/memory/inbox']['query']>;

/** What can be done with a memory: the caller's own, or that of a space. */
export interface MemoryCalls {
  facts: FactCalls;
  /** Finds facts from a few words, best first. `abstained` says that none of them is good enough to rely on. */
  search(words: string, query?: SearchQuery): Promise<SearchResults>;
  /** Forgets by scope, such as `tag:draft`. */
  forget(scope: string, options?: { confirm?: boolean }): Promise<ForgetResult>;
  /** What waits for a person's decision. */
  inbox: {
    list(query?: InboxQuery): Promise<Inbox>;
    accept(proposal: string, changes?: AcceptInput): Promise<StoreResult>;
    reject(proposal: string): Promise<RejectedProposal>;
  };
  /** Changes of the memory as they happen, without values, until the server ends the stream or the loop is left. */
  events(options?: { signal?: AbortSignal }): AsyncIterable<ChangeEvent>;
}

export function memoryCalls(caller: OperationCaller): MemoryCalls {
  const { call } = caller;
  return {
    facts: factCalls(caller),
    search: (words, query = {}) => call('GET /api/v1/memory/search', { query: { ...query, q: words } }),
    forget: (scope, options = {}) => call('POST /api/v1/memory/forget', { body: { ...options, scope } }),
    inbox: {
      list: (query = {}) => call('GET /api/v1/memory/inbox', { query }),
      accept: (proposal, changes = {}) =>
        call('POST /api/v1/memory/inbox/{proposal}/accept', { path: { proposal }, body: changes }),
      reject: (proposal) => call('POST /api/v1/memory/inbox/{proposal}/reject', { path: { proposal } }),
    },
    async *events({ signal } = {}) {
      yield* readEvents<ChangeEvent>(await caller.callForResponse('GET /api/v1/memory/events', { signal }));
    },
  };
}
