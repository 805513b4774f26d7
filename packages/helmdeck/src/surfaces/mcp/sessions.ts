import { AppError } from '../../errors.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import type { Identity } from '../http/auth.ts';
import { hasEnded } from '../http/authenticate.ts';
import type { McpServices } from './mcp-services.ts';

export const SESSION_POLICY = Object.freeze({
  maxPerCaller: 64,
  idleMs: 30 * 60_000,
  /** How soon a revoked or expired token ends what it opened. */
  lookMs: 15_000,
});

/** A connection of the older protocol that outlives a request. */
export interface Session<Link> {
  readonly id: string;
  readonly link: Link;
  /** Streams that are open now; a session with one is never idle. */
  streams: number;
}

interface Held {
  session: Session<unknown>;
  /** Address and caller: the same id means nothing anywhere else or to anybody else. */
  owner: string;
  identity: Identity;
  usedMs: number;
  close(): void;
}

export interface Sessions {
  add<Link>(endpoint: string, identity: Identity, id: string, link: Link, close: () => void): Session<Link>;
  /** The caller's own session; somebody else's is as unknown as one that never was. */
  find<Link>(endpoint: string, identity: Identity, id: string): Session<Link>;
  remove(id: string): void;
  readonly size: number;
}

export function createSessions(services: McpServices): Sessions {
  const held = new Map<string, Held>();
  const ownerOf = (endpoint: string, caller: Caller) =>
    `${endpoint} ${namespaceOf(caller).toString('latin1')}`;

  function end(id: string): void {
    const one = held.get(id);
    held.delete(id);
    one?.close();
  }

  const look = setInterval(() => {
    const idleSinceMs = services.now() - SESSION_POLICY.idleMs;
    for (const [id, { session, identity, usedMs }] of held) {
      const idle = session.streams === 0 && usedMs < idleSinceMs;
      if (idle || hasEnded(services, identity)) end(id);
    }
  }, SESSION_POLICY.lookMs).unref();
  const endAll = () => {
    clearInterval(look);
    for (const id of [...held.keys()]) end(id);
  };
  if (services.closing.aborted) endAll();
  else services.closing.addEventListener('abort', endAll, { once: true });

  return {
    add(endpoint, identity, id, link, close) {
      const owner = ownerOf(endpoint, identity.caller);
      const own = [...held].filter(([, one]) => one.owner === owner);
      // Clients come and go without a word; the one that was silent longest is most likely gone.
      if (own.length >= SESSION_POLICY.maxPerCaller)
        end(own.reduce((a, b) => (a[1].usedMs <= b[1].usedMs ? a : b))[0]);
      const session = { id, link, streams: 0 };
      held.set(id, { session, owner, identity, usedMs: services.now(), close });
      return session;
    },
    find<Link>(endpoint: string, identity: Identity, id: string) {
      const one = held.get(id);
      if (one?.owner !== ownerOf(endpoint, identity.caller)) {
        throw new AppError('not_found', 'There is no such session.', {
          reason: 'unknown_session',
          hint: 'Send initialize again. Behind a load balancer, sessions must stay with the node that opened them.',
        });
      }
      one.usedMs = services.now();
      one.identity = identity; // a renewed token carries on what the old one began
      return one.session as Session<Link>;
    },
    remove: (id) => void held.delete(id),
    get size() {
      return held.size;
    },
  };
}
