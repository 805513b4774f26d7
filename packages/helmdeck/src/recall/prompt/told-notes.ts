import { createHash } from 'node:crypto';
import type { Memory, MemoryParts } from '../../memory/memory.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';

/**
 * The version of a fact, as a client keeps it to say later what its session was told. A fact of a space is another one than
 * the fact of the same key in one's own memory.
 */
export const toldMark = ({ seat }: Pick<Memory, 'seat'>, { key, version = 1 }: ToldFact): string =>
  createHash('sha256')
    .update(`${seat ? `${seat.slug} ` : ''}${version} ${key}`)
    .digest('base64url')
    .slice(0, 12);

/**
 * What each session of a caller was told, so that it is not told again. In RAM only: a client that sends the marks of what
 * it was told is not told again either after a restart of the server, or by another node.
 */
export interface ToldNotes {
  /** Whether the session was told this version of a fact. */
  wasTold(ns: Uint8Array, session: string, fact: ToldFact): boolean;
  add(ns: Uint8Array, session: string, facts: readonly ToldFact[]): void;
  /** The session begins, or lost its context: it was told nothing but these. */
  reset(ns: Uint8Array, session: string, facts: readonly ToldFact[]): void;
}

interface ToldFact {
  key: string;
  version?: number;
}

const MAX_CALLERS = 1_000;
const MAX_SESSIONS = 50;
const MAX_FACTS = 500;

/** The versions of facts by their keys. */
type Session = BoundedMap<string, number>;

export function createToldNotes({ changes }: Pick<MemoryParts, 'changes'>): ToldNotes {
  const callers = new BoundedMap<string, BoundedMap<string, Session>>(MAX_CALLERS);
  // Keys of forgotten facts must not stay anywhere.
  changes.subscribeToAll((ns, { type }) => {
    if (type === 'forget' || type === 'erase') callers.delete(namespaceMapKey(ns));
  });

  function add(ns: Uint8Array, session: string, facts: readonly ToldFact[], isNew = false): void {
    const name = namespaceMapKey(ns);
    const sessions = callers.get(name) ?? new BoundedMap<string, Session>(MAX_SESSIONS);
    const told = (isNew ? undefined : sessions.get(session)) ?? new BoundedMap<string, number>(MAX_FACTS);
    for (const { key, version = 1 } of facts) told.set(key, version);
    sessions.set(session, told);
    callers.set(name, sessions);
  }

  return {
    wasTold: (ns, session, { key, version = 1 }) =>
      callers.get(namespaceMapKey(ns))?.get(session)?.get(key) === version,
    add,
    reset: (ns, session, facts) => add(ns, session, facts, true),
  };
}
