import { createHash } from 'node:crypto';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';

/** A person decides on each proposal, so an hour of talk makes few. */
const MAX_PROPOSALS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;
const MAX_SESSIONS = 10_000;
const MAX_KEPT_TIMES = 500;

/**
 * Limits the proposals from an hour of talk, for each caller and session. Counted in RAM: after a restart, or on another
 * node, a session may make as many again; what is in the inbox is folded by its text all the same.
 */
export interface TalkLimit {
  /** Chooses the surest of these statements. */
  choose<T extends { confidence: number; atMs: number }>(
    ns: Uint8Array,
    session: string | undefined,
    statements: readonly T[],
  ): T[];
  /** Counts a proposal that was made. */
  count(ns: Uint8Array, session: string | undefined, atMs: number): void;
}

export function createTalkLimit(): TalkLimit {
  const sessions = new BoundedMap<string, number[]>(MAX_SESSIONS);
  /** The name of a session is the client's text, so only its hash is kept. */
  const nameOf = (ns: Uint8Array, session = '') =>
    `${namespaceMapKey(ns)} ${createHash('sha256').update(session).digest('base64')}`;
  return {
    choose(ns, session, statements) {
      const times = [...(sessions.get(nameOf(ns, session)) ?? [])];
      const surestFirst = [...statements].sort((a, b) => b.confidence - a.confidence);
      const chosen = new Set<(typeof statements)[number]>();
      for (const statement of surestFirst) {
        const near = times.filter((time) => Math.abs(time - statement.atMs) < HOUR_MS).length;
        if (near >= MAX_PROPOSALS_PER_HOUR) continue;
        chosen.add(statement);
        times.push(statement.atMs);
      }
      return statements.filter((statement) => chosen.has(statement));
    },
    count(ns, session, atMs) {
      const name = nameOf(ns, session);
      sessions.set(name, [...(sessions.get(name) ?? []), atMs].slice(-MAX_KEPT_TIMES));
    },
  };
}
