import { AppError } from '../../errors.ts';
import { type Caller, namespaceOf } from '../namespace.ts';

// A space is a memory that several people share: a namespace of its own with a random id, not a filter over theirs.

/** What a grant allows, weakest first; each role may do what those before it may. */
export const SPACE_ROLES = ['reader', 'proposer', 'writer', 'owner'] as const;
export type SpaceRole = (typeof SPACE_ROLES)[number];

export interface Space {
  /** The id of its row, in hex. */
  rowId: string;
  /** The owner of its namespace; the same object for as long as the space is known, so that key lookups are cached. */
  caller: Caller & { space: string };
  slug: string;
  tenant?: string;
  createdMs: number;
  /** Instead of the quotas of the configuration. */
  quotaFacts?: number;
  quotaBytes?: number;
  /** An erase has begun: nobody gets in any more, and it can only be erased again. */
  erasing?: true;
}

/** Who a grant is for: a person, or everyone in a group of the identity provider. */
export type Principal = { caller: Caller } | { group: string };

export interface Grant {
  role: SpaceRole;
  principal: Principal;
  /** Who granted it, as an alias. */
  by: string;
  atMs: number;
  expiresMs: number | null;
}

/** An identity as spaces see it. */
export interface SpaceAccess {
  caller: Caller;
  /** The slugs that the token is narrowed to; absent if it is not. */
  spaces?: ReadonlySet<string>;
}

/** An identity with the scopes of its token. */
export interface SpaceIdentity extends SpaceAccess {
  scopes: ReadonlySet<string>;
}

/** A space with the role that an identity has in it. */
export interface GrantedSpace {
  space: Space;
  role: SpaceRole;
}

/** A seat in a space: what the holder of a memory handle may do there, and the name that their writes carry. */
export interface Seat {
  slug: string;
  role: SpaceRole;
  /** The alias of whoever works here; absent where nothing is written. */
  by?: string;
  nameOf(alias: string): string;
}

/** The scope of a token that may write where its subject may. */
export const SPACES_WRITE = 'spaces:write';

/** The name of one's own memory in a list of spaces. */
export const OWN_MEMORY = 'mine';
const SLUG = /^[a-z0-9-]{1,64}$/;
/** Names that a list of spaces to search gives another meaning. */
const RESERVED_SLUGS = [OWN_MEMORY];
export const GROUP_PREFIX = 'group:';
const MAX_GROUP_BYTES = 256;

export function includesRole(role: SpaceRole, needed: SpaceRole): boolean {
  return SPACE_ROLES.indexOf(role) >= SPACE_ROLES.indexOf(needed);
}

export function validSlug(input: unknown): string {
  if (typeof input === 'string' && SLUG.test(input) && !RESERVED_SLUGS.includes(input)) return input;
  throw new AppError(
    'invalid_input',
    'slug has 1 to 64 lower-case letters, digits and hyphens, and is not "mine".',
    {
      reason: 'bad_slug',
    },
  );
}

export function validRole(input: unknown): SpaceRole {
  const role = SPACE_ROLES.find((each) => each === input);
  if (role) return role;
  throw new AppError('invalid_input', `role must be one of ${SPACE_ROLES.join(', ')}.`, {
    reason: 'bad_role',
  });
}

export function validGroup(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes > 0 && bytes <= MAX_GROUP_BYTES && !/\p{Cc}/u.test(name) && name.isWellFormed()) return name;
  throw new AppError('invalid_input', `A group has a name of at most ${MAX_GROUP_BYTES} bytes.`, {
    reason: 'bad_group',
  });
}

/** The key of a principal: a person and a group of the same name never share one. */
export function principalKey(principal: Principal): string {
  return 'group' in principal ? `group ${principal.group}` : callerKey(principal.caller);
}
export const callerKey = (caller: Caller) => `subject ${namespaceOf(caller).toString('latin1')}`;

/** The same for a space that does not exist and for one that was not granted. */
export const unknownSpace = () =>
  new AppError('unknown_space', 'There is no such space, or you have no access to it.');
