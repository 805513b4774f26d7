import { type ConnectionOptions, createOperationCaller, type OperationCaller } from './call-operation.ts';
import { type FactCalls, factCalls, type SearchQuery } from './fact-calls.ts';
import type {
  AcceptInput,
  ChangeEvent,
  ForgetResult,
  Inbox,
  Operations,
  PromptNotes,
  PromptNotesInput,
  RejectedProposal,
  SearchResults,
  StoreResult,
} from './generated/rest.ts';
import { type PackCalls, packCalls } from './pack-calls.ts';
import { readEvents } from './read-events.ts';

export type { ConnectionOptions, OperationName } from './call-operation.ts';
export type { FactQuery } from './fact-calls.ts';
export type * from './generated/rest.ts';
export { HelmdeckError } from './helmdeck-error.ts';

type InboxQuery = NonNullable<Operations['GET /api/v1/memory/inbox']['query']>;

/** The memory and the packs of one caller, who is the bearer of the token. */
export interface Helmdeck extends OperationCaller {
  facts: FactCalls;
  /** Finds facts from a few words, best first. `abstained` says that none of them is good enough to rely on. */
  search(words: string, query?: SearchQuery): Promise<SearchResults>;
  /** What is worth telling a model before this prompt; mostly nothing. */
  promptNotes(prompt: string, options?: Omit<PromptNotesInput, 'prompt'>): Promise<PromptNotes>;
  /** Forgets by scope, such as `tag:draft`. */
  forget(scope: string, options?: { confirm?: boolean }): Promise<ForgetResult>;
  /** What waits for a person's decision. */
  inbox: {
    list(query?: InboxQuery): Promise<Inbox>;
    accept(proposal: string, changes?: AcceptInput): Promise<StoreResult>;
    reject(proposal: string): Promise<RejectedProposal>;
  };
  packs: PackCalls;
  /** Changes of the memory as they happen, without values, until the server ends the stream or the loop is left. */
  events(options?: { signal?: AbortSignal }): AsyncIterable<ChangeEvent>;
}

/** A client of the server at `url`. Every method throws a `HelmdeckError` with the server's code, message and hint. */
export function createHelmdeck(connection: ConnectionOptions): Helmdeck {
  const caller = createOperationCaller(connection);
  const { call } = caller;
  return {
    ...caller,
    facts: factCalls(caller),
    search: (words, query = {}) => call('GET /api/v1/memory/search', { query: { ...query, q: words } }),
    promptNotes: (prompt, options = {}) =>
      call('POST /api/v1/memory/prompt-notes', { body: { ...options, prompt } }),
    forget: (scope, options = {}) => call('POST /api/v1/memory/forget', { body: { ...options, scope } }),
    inbox: {
      list: (query = {}) => call('GET /api/v1/memory/inbox', { query }),
      accept: (proposal, changes = {}) =>
        call('POST /api/v1/memory/inbox/{proposal}/accept', { path: { proposal }, body: changes }),
      reject: (proposal) => call('POST /api/v1/memory/inbox/{proposal}/reject', { path: { proposal } }),
    },
    packs: packCalls(caller),
    async *events({ signal } = {}) {
      yield* readEvents<ChangeEvent>(await caller.callForResponse('GET /api/v1/memory/events', { signal }));
    },
  };
}
