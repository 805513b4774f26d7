import type { Inputs, OperationCaller, OperationName, SendOptions } from './call-operation.ts';
import type {
  ErasedSpace,
  PromotionAnswer,
  ProposedPromotion,
  RevokedGrant,
  Space,
  SpaceGrant,
  SpaceGrantInput,
  SpaceInput,
} from './generated/rest.ts';
import { type MemoryCalls, memoryCalls } from './memory-calls.ts';

export interface SpaceCalls {
  /** The spaces that the caller has a role in. */
  list(): Promise<Space[]>;
  get(slug: string): Promise<Space>;
  create(space: SpaceInput): Promise<Space>;
  grants(slug: string): Promise<SpaceGrant[]>;
  /** Gives a person, or a group as `group:<name>`, a role, or changes it. */
  grant(slug: string, principal: string, grant: SpaceGrantInput): Promise<SpaceGrant>;
  revoke(slug: string, principal: string): Promise<RevokedGrant>;
  /** Erases a space with everything in it. */
  erase(slug: string): Promise<ErasedSpace>;
  /** Copies a fact of the caller's own memory into a space. */
  promote(key: string, slug: string): Promise<PromotionAnswer | ProposedPromotion>;
  /** The memory of a space, with the calls of the caller's own. */
  memory(slug: string): MemoryCalls;
}

export function spaceCalls(caller: OperationCaller): SpaceCalls {
  const { call } = caller;
  return {
    list: async () => (await call('GET /api/v1/spaces', {})).spaces,
    get: (slug) => call('GET /api/v1/spaces/{slug}', { path: { slug } }),
    create: (space) => call('POST /api/v1/spaces', { body: space }),
    grants: async (slug) => (await call('GET /api/v1/spaces/{slug}/grants', { path: { slug } })).grants,
    grant: (slug, principal, grant) =>
      call('PUT /api/v1/spaces/{slug}/grants/{principal}', { path: { slug, principal }, body: grant }),
    revoke: (slug, principal) =>
      call('DELETE /api/v1/spaces/{slug}/grants/{principal}', { path: { slug, principal } }),
    erase: (slug) => call('DELETE /api/v1/spaces/{slug}', { path: { slug } }),
    promote: (key, slug) =>
      call('POST /api/v1/memory/facts/{key}/promote', { path: { key }, body: { space: slug } }),
    memory: (slug) => memoryCalls(inSpace(caller, slug)),
  };
}

/** Adds the space to the query of every call: each route of a memory takes it there. */
function inSpace(caller: OperationCaller, space: string): OperationCaller {
  const added = <O extends OperationName>(options: Inputs<O> & SendOptions) => {
    const { query } = options as { query?: object };
    return { ...options, query: { ...query, space } };
  };
  return {
    call: (operation, options) => caller.call(operation, added(options)),
    callForResponse: (operation, options) => caller.callForResponse(operation, added(options)),
  };
}
