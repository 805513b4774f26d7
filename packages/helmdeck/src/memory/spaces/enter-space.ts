import { AppError } from '../../errors.ts';
import type { Memory, MemoryParts } from '../memory.ts';
import { createMemory } from '../memory.ts';
import { hasScope } from '../scopes.ts';
import {
  type GrantedSpace,
  includesRole,
  OWN_MEMORY,
  SPACES_WRITE,
  type SpaceIdentity,
  type SpaceRole,
  unknownSpace,
} from './space.ts';
import { createSpaceMemory } from './space-memory.ts';
import type { Spaces } from './spaces.ts';

/** What the door to spaces needs. */
export interface SpaceServices {
  parts: MemoryParts;
  spaces: Spaces;
}

/**
 * The memory of a space that a request names. The one way in, on every surface: it is looked up among what the identity
 * was granted, so a space that is not there and one that was not granted are the same.
 */
export async function enterSpace(
  { parts, spaces }: SpaceServices,
  identity: SpaceIdentity,
  slug: string,
  needed: SpaceRole,
): Promise<Memory> {
  const granted = spaces.find(identity, slug);
  if (!granted) throw unknownSpace();
  assertRole(identity, granted, needed);
  const { nameOf } = spaces;
  const by = needed === 'reader' ? undefined : await spaces.aliasOf(granted.space, identity.caller);
  return createSpaceMemory(parts, granted, { by, nameOf });
}

function assertRole(identity: SpaceIdentity, { role }: GrantedSpace, needed: SpaceRole): void {
  if (!includesRole(role, needed))
    throw new AppError(
      'insufficient_scope',
      `This needs the role ${needed} in the space; yours is ${role}.`,
      {
        reason: 'space_role',
        hint: 'Ask an owner of the space for that role.',
      },
    );
  if (needed === 'reader' || hasScope(identity.scopes, SPACES_WRITE)) return;
  throw new AppError('insufficient_scope', `This needs the scope ${SPACES_WRITE}.`, {
    scopes: [SPACES_WRITE],
  });
}

/** A memory among several, and the name that what is found in it is labelled with. */
export interface NamedMemory {
  name: string;
  memory: Memory;
}

const MAX_SEARCHED = 100;

/** The memories that a list of spaces names: `mine`, slugs, or `*` for one's own and all that were granted. */
export async function namedMemories(
  services: SpaceServices,
  identity: SpaceIdentity,
  text: string,
): Promise<NamedMemory[]> {
  const isAll = text.trim() === '*';
  const granted = () => services.spaces.list(identity).map(({ space }) => space.slug);
  const wanted = isAll
    ? [OWN_MEMORY, ...granted()]
    : [...new Set(text.split(',').map((name) => name.trim()))];
  // To leave some out of `*` unsaid would hide what they hold.
  if (wanted.length > MAX_SEARCHED)
    throw new AppError('invalid_input', `At most ${MAX_SEARCHED} spaces at once.`, {
      reason: 'too_many_spaces',
      hint: 'Name those that you need: mine,platform.',
    });
  // One's own first: it comes first on a tie.
  const ordered = wanted.sort((a, b) => Number(b === OWN_MEMORY) - Number(a === OWN_MEMORY));
  const memoryOf = (name: string) =>
    name === OWN_MEMORY
      ? createMemory(services.parts, identity.caller)
      : enterSpace(services, identity, name, 'reader');
  return Promise.all(ordered.map(async (name) => ({ name, memory: await memoryOf(name) })));
}
