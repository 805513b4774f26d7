import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { type AppError, ERRORS, type ErrorCode, errorFrames } from '../../errors.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { TokenRegistry } from '../../memory/token-registry.ts';
import type { IpNetwork } from '../../packs/egress/ip-address.ts';
import { ANONYMOUS, type Auth, type Identity } from './auth.ts';

/** What serving a request needs on every surface. */
export interface HttpServices {
  auth: Auth;
  authDisabled: boolean;
  /** The server listens on a loopback address only. */
  loopback: boolean;
  /** The host of HELMDECK_ADDR. */
  listenHost: string;
  /** The URL that people and clients use, if it is not the address that the server listens on. */
  publicUrl?: URL;
  /** The proxies whose X-Forwarded-For, -Proto and -Host count. */
  trustedProxies: readonly IpNetwork[];
  now: () => number;
  /** Undefined while memory is off. */
  memoryIfOn(): { parts: MemoryParts; tokens: TokenRegistry } | undefined;
  metrics: HttpMetrics;
  log: HttpLog;
}

export interface HttpMetrics {
  observe(route: string, method: string, status: number, seconds: number): void;
  /** A request was refused or failed with this error. */
  failed(route: string, code: ErrorCode): void;
  /** A stream of events was opened (1) or closed (-1). */
  streams(change: 1 | -1): void;
  /** The number of open MCP sessions has changed. */
  sessions(open: number): void;
}

/** Fields must never contain a value, a key, a path, a subject or a token. */
export interface HttpLog {
  /** Whether lines of this level are written at all. */
  isEnabled(level: 'debug' | 'info'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What is known about one request while it is served. */
export class RequestContext {
  readonly startMs = performance.now();
  readonly c: Context;
  readonly requestId: string;
  /** Headers of the response. A plain object: building and reading `Headers` costs more than reading a fact. */
  readonly headers: Record<string, string>;
  identity: Identity = ANONYMOUS;

  constructor(c: Context) {
    this.c = c;
    this.requestId = requestIdOf(c);
    this.headers = {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': this.requestId,
    };
  }
}

/** The Node.js request behind a Hono context; undefined for calls inside the process. */
export function incomingOf(c: Context): IncomingMessage | undefined {
  return (c.env as { incoming?: IncomingMessage } | undefined)?.incoming;
}

/** The Node.js response behind a Hono context; undefined for calls inside the process. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  return (c.env as { outgoing?: ServerResponse } | undefined)?.outgoing;
}

/** A request header by its lower-case name; from the socket if there is one, because `Headers` is expensive to build. */
export function requestHeader(c: Context, name: string): string | undefined {
  const incoming = incomingOf(c);
  if (!incoming) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Keeps the client's own request id if it is harmless, so that the logs of both sides can be joined. */
function requestIdOf(c: Context): string {
  const sent = requestHeader(c, 'x-request-id');
  return sent !== undefined && /^[A-Za-z0-9_.-]{8,64}$/.test(sent) ? sent : randomUUID();
}

/** The label in metrics of requests that match no route. They are not logged: a scanner would fill the log. */
export const NO_ROUTE = 'none';

/** Counts a finished request and logs it: errors at `info`, the rest at `debug`, because agents call all day. */
export function recordRequest(
  { metrics, log }: HttpServices,
  { requestId, startMs }: RequestContext,
  route: string,
  method: string,
  status: number,
): void {
  const seconds = (performance.now() - startMs) / 1000;
  metrics.observe(route, method, status, seconds);
  const level = status >= 400 ? 'info' : 'debug';
  if (route === NO_ROUTE || !log.isEnabled(level)) return;
  const ms = Math.round(seconds * 1e6) / 1e3;
  log[level]({ req_id: requestId, route, method, status, ms }, 'request');
}

/** Logs where a server error happened, except for a run that ended because its client went away. */
export function logServerError(
  { log }: HttpServices,
  { requestId }: RequestContext,
  route: string,
  error: AppError,
): void {
  const { code, reason } = error;
  if (ERRORS[code].http < 500 || reason === 'cancelled') return;
  log.error(
    { req_id: requestId, route, code, reason, at: errorFrames(error.cause ?? error) },
    'request failed',
  );
}
