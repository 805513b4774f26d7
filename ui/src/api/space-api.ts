import { callApi } from './call-api.ts';
import type { SpaceGrantInput, SpaceInput } from './generated/rest.ts';

// Spaces: who has access to which, in which role.

/** The spaces that the person has a role in; `all`: every one, for admins, which is recorded in the audit. */
export const listSpaces = (all: boolean) =>
  callApi('GET /api/v1/spaces', { query: { all: all ? '1' : undefined } });

export const addSpace = (body: SpaceInput) => callApi('POST /api/v1/spaces', { body });

export const changeSpace = (
  slug: string,
  quota: { quota_facts: number | null; quota_bytes: number | null },
) => callApi('PATCH /api/v1/spaces/{slug}', { path: { slug }, body: quota });

/** Destroys the space with everything in it; answers with a receipt. */
export const eraseSpace = (slug: string) => callApi('DELETE /api/v1/spaces/{slug}', { path: { slug } });

export const listGrants = (slug: string) => callApi('GET /api/v1/spaces/{slug}/grants', { path: { slug } });

export const grantSpace = (slug: string, principal: string, body: SpaceGrantInput) =>
  callApi('PUT /api/v1/spaces/{slug}/grants/{principal}', { path: { slug, principal }, body });

export const revokeGrant = (slug: string, principal: string) =>
  callApi('DELETE /api/v1/spaces/{slug}/grants/{principal}', { path: { slug, principal } });

/** What the person proposed to a space, and what became of it. */
export const listOwnProposals = (slug: string) =>
  callApi('GET /api/v1/spaces/{slug}/proposals', { path: { slug } });

/** Copies a fact of one's own into a space. */
export const promoteFact = (key: string, space: string) =>
  callApi('POST /api/v1/memory/facts/{key}/promote', { path: { key }, body: { space } });
