import type { Source } from '../entry.ts';
import type { Memory, MemoryParts } from '../memory.ts';
import { fullCallerName } from '../namespace.ts';
import type { GrantedSpace, Seat } from './space.ts';

/** The handle to a space's memory: the ordinary one, over another namespace. */
export function createSpaceMemory(
  parts: MemoryParts,
  { space, role }: GrantedSpace,
  { by, nameOf }: Pick<Seat, 'by' | 'nameOf'>,
): Memory {
  const { caller, slug } = space;
  return { ...parts, caller, scope: `space=${slug}`, seat: { slug, role, by, nameOf } };
}

/** A memory as the access audit names it. */
export const memoryName = ({ seat, caller }: Pick<Memory, 'seat' | 'caller'>) =>
  seat ? `space ${seat.slug}` : fullCallerName(caller);

/** The source to stamp a write with. In a space it names its writer by an alias, and no token. */
export function stampOf({ seat }: Pick<Memory, 'seat'>, source: Source): Source {
  if (!seat) return source;
  const { surface, client } = source;
  return {
    surface,
    ...(client === undefined ? {} : { client }),
    ...(seat.by === undefined ? {} : { by: seat.by }),
  };
}

/** A source as it is shown: with the name behind its alias, or the alias of somebody who was erased. */
export function shownSource({ seat }: Pick<Memory, 'seat'>, source: Source): Source {
  return seat && source.by !== undefined ? { ...source, by: seat.nameOf(source.by) } : source;
}
