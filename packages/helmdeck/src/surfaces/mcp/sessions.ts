import { AppError } from '../../errors.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import type { Identity } from '../http/auth.ts';
import { hasEnded } from '../http/authenticate.ts';
import type { McpServices } from './mcp-services.ts';

export const SESSION_POLICY = Object.freeze({
  maxPerCaller: 64,
  idleMs: 30 * 60_000,
  /** How often tokens are checked again: how soon a revoked or expired one ends what it opened. */
  checkIntervalMs: 15_000,
});

/** A session of the older protocol, which outlives a request. */
export interface Session<T> {
  readonly id: string;
  readonly transport: T;
  /** Open streams; a session that has one is never idle. */
  streams: number;
}

interface OpenSession {
  session: Session<unknown>;
  /** Endpoint and caller: the id is valid for no other. */
  owner: string;
  identity: Identity;
  usedMs: number;
  close(): void;
}

export interface Sessions {
  add<T>(endpoint: string, identity: Identity, id: string, transport: T, close: () => void): Session<T>;
  /** The caller's own session; that of another caller is `not_found`, like one that never existed. */
  find<T>(endpoint: string, identity: Identity, id: string): Session<T>;
  remove(id: string): void;
}

/** The sessions of this process: per-caller limit, idle timeout, and an end when the token or the server ends. */
export function createSessions(services: McpServices): Sessions {
  const open = new Map<string, OpenSession>();
  const ownerOf = (endpoint: string, caller: Caller) =>
    `${endpoint} ${namespaceOf(caller).toString('latin1')}`;

  function remove(id: string): void {
    open.delete(id);
    services.metrics.sessions(open.size);
  }

  function end(id: string): void {
    const ended = open.get(id);
    remove(id);
    ended?.close();
  }

  const checks = setInterval(() => {
    const idleSinceMs = services.now() - SESSION_POLICY.idleMs;
    for (const [id, { session, identity, usedMs }] of open) {
      const idle = session.streams === 0 && usedMs < idleSinceMs;
      if (idle || hasEnded(services, identity)) end(id);
    }
  }, SESSION_POLICY.checkIntervalMs).unref();
  const endAll = () => {
    clearInterval(checks);
    for (const id of [...open.keys()]) end(id);
  };
  if (services.closing.aborted) endAll();
  else services.closing.addEventListener('abort', endAll, { once: true });

  return {
    add(endpoint, identity, id, transport, close) {
      const owner = ownerOf(endpoint, identity.caller);
      const own = [...open].filter(([, each]) => each.owner === owner);
      // Clients leave without closing their session; the least recently used one is most likely abandoned.
      if (own.length >= SESSION_POLICY.maxPerCaller)
        end(own.reduce((a, b) => (a[1].usedMs <= b[1].usedMs ? a : b))[0]);
      const session = { id, transport, streams: 0 };
      open.set(id, { session, owner, identity, usedMs: services.now(), close });
      services.metrics.sessions(open.size);
      return session;
    },
    find<T>(endpoint: string, identity: Identity, id: string) {
      const found = open.get(id);
      if (found?.owner !== ownerOf(endpoint, identity.caller)) {
        throw new AppError('not_found', 'There is no such session.', {
          reason: 'unknown_session',
          hint: 'Send initialize again. Behind a load balancer, sessions must stay with the node that opened them.',
        });
      }
      found.usedMs = services.now();
      found.identity = identity; // a renewed token continues the session of the old one
      return found.session as Session<T>;
    },
    remove,
  };
}
