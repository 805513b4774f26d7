import { AppError } from '../../../errors.ts';
import { type Caller, namespaceOf } from '../../../memory/namespace.ts';
import type { Identity } from '../../http/auth.ts';
import { hasEnded } from '../../http/authenticate.ts';
import type { McpServices } from '../mcp-services.ts';

export const SESSION_POLICY = Object.freeze({
  maxPerCaller: 64,
  idleMs: 30 * 60_000,
  /** How often tokens are checked again: how soon a revoked or expired one ends what it opened. */
  checkIntervalMs: 12_000,
});

/** A session of the older protocol, which outlives a request. */
export interface Session<T> {
  readonly id: string;
  readonly transport: T;
  /** Open streams; a session that has one is never idle. */
  streams: number;
}

interface SessionEnd {
  /** Frees the session at once. */
  close(): void;
  /** Ends its stream as soon as every request under way has its response. */
  drain(): void;
}

interface OpenSession extends SessionEnd {
  session: Session<unknown>;
  /** Endpoint and caller: the id is valid for no other. */
  owner: string;
  identity: Identity;
  usedMs: number;
}

export interface Sessions {
  add<T>(endpoint: string, identity: Identity, id: string, transport: T, end: SessionEnd): Session<T>;
  /** The caller's own session, if this process holds it. */
  find<T>(endpoint: string, identity: Identity, id: string): Session<T> | undefined;
  /** Whether the session's latest token is still valid; if not, the session ends. */
  isLive(id: string): boolean;
  remove(id: string): void;
}

/** For a session that does not exist, or exists for another caller or endpoint: they look the same. */
export function unknownSession(hint: string): AppError {
  return new AppError('not_found', 'There is no such session.', { reason: 'unknown_session', hint });
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
  const drainAll = () => {
    clearInterval(checks);
    for (const each of [...open.values()]) each.drain();
  };
  services.closing.addEventListener('abort', drainAll, { once: true });

  return {
    add(endpoint, identity, id, transport, { close, drain }) {
      const owner = ownerOf(endpoint, identity.caller);
      const own = [...open].filter(([, each]) => each.owner === owner);
      // Clients leave without closing their session; the least recently used one is most likely abandoned.
      if (own.length >= SESSION_POLICY.maxPerCaller)
        end(own.reduce((a, b) => (a[1].usedMs <= b[1].usedMs ? a : b))[0]);
      const session = { id, transport, streams: 0 };
      open.set(id, { session, owner, identity, usedMs: services.now(), close, drain });
      services.metrics.sessions(open.size);
      return session;
    },
    find<T>(endpoint: string, identity: Identity, id: string) {
      const found = open.get(id);
      if (found?.owner !== ownerOf(endpoint, identity.caller)) return undefined;
      found.usedMs = services.now();
      found.identity = identity; // a renewed token continues the session of the old one
      return found.session as Session<T>;
    },
    isLive(id) {
      const found = open.get(id);
      const live = found !== undefined && !hasEnded(services, found.identity);
      if (!live) end(id);
      return live;
    },
    remove,
  };
}
