import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { AppError, ERRORS, errorEnvelope, errorFrames, toAppError } from '../../errors.ts';
import { ANONYMOUS, assertScope } from '../http/auth.ts';
import { harmlessRequestId, requestHeader } from '../http/request.ts';
import { assertMayNameCaller, authenticate, memoryFor, noteAccess } from './access.ts';
import { adminRoutes } from './admin-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { factRoutes } from './fact-routes.ts';
import { forgetRoutes } from './forget-routes.ts';
import { rawPath } from './input.ts';
import { jobRoutes } from './job-routes.ts';
import { openApiRoutes } from './openapi.ts';
import { overviewRoutes } from './overview-routes.ts';
import { packRoutes } from './pack-routes.ts';
import { pipelineRoutes } from './pipeline-routes.ts';
import { pipelineRunRoutes } from './pipeline-run-routes.ts';
import { portabilityRoutes } from './portability-routes.ts';
import type { Call, RestServices, Route } from './route.ts';
import { routingRoutes } from './routing-routes.ts';
import { runHistoryRoutes } from './run-history-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { systemRoutes } from './system-routes.ts';

/** Every route of the REST surface: the table of contents. */
export const ROUTES: readonly Route[] = [
  ...factRoutes,
  ...searchRoutes,
  ...overviewRoutes,
  ...runHistoryRoutes,
  ...forgetRoutes,
  ...portabilityRoutes,
  ...eventRoutes,
  ...packRoutes,
  ...jobRoutes,
  ...routingRoutes,
  ...sessionRoutes,
  ...pipelineRoutes,
  ...pipelineRunRoutes,
  ...adminRoutes,
  ...authRoutes,
  ...systemRoutes,
];

/** `elsewhere` may answer what is no route, such as the UI's pages. */
export function createRestApp(
  services: RestServices,
  elsewhere?: (request: Request) => Response | undefined,
): Hono {
  // Two routers: one address with a parameter beside another like it puts all addresses of its router on the
  // framework's slow way, and so does a second match. The first router therefore holds what has neither.
  const app = new Hono();
  const others = new Hono();
  const byPattern = Map.groupBy([...ROUTES, ...openApiRoutes(ROUTES)], (route) => honoPattern(route.path));
  for (const [pattern, routes] of byPattern) {
    const router = /:(?!key\b)/.test(pattern) ? others : app;
    for (const [method, candidates] of Map.groupBy(routes, (route) => route.method)) {
      router.on(method, pattern, (c) =>
        respond(c, services, candidates.find((route) => fitsPath(route, c)) ?? candidates.at(-1)!),
      );
    }
  }
  for (const [pattern, routes] of byPattern) {
    const allowed = [...new Set(routes.map((route) => route.method))];
    others.all(pattern, (c) => {
      const error = new AppError('method_not_allowed', `Use ${allowed.join(' or ')} here.`);
      return refuse(c, services, error, { allow: allowed.join(', ') });
    });
  }
  others.notFound(
    (c) =>
      elsewhere?.(c.req.raw) ??
      refuse(c, services, new AppError('not_found', 'There is nothing at this address.')),
  );
  others.onError((thrown, c) => refuse(c, services, toAppError(thrown)));
  app.notFound((c) => others.fetch(c.req.raw, c.env));
  app.onError((thrown, c) => refuse(c, services, toAppError(thrown)));
  return app;
}

/** One request from start to answer: who, may they, do it, say it, note it. */
async function respond(c: Context, services: RestServices, route: Route): Promise<Response> {
  const startMs = performance.now();
  const requestId = requestIdOf(c);
  const headers = answerHeaders(requestId);
  let response: Response;
  try {
    const identity = route.scope === 'public' ? ANONYMOUS : await authenticate(c, services);
    if (route.scope !== 'public' && route.scope !== 'any') assertScope(identity, route.scope);
    assertMayNameCaller(c, route, identity);
    const answer = await route.handler(createCall(c, services, route, identity, requestId, headers));
    const { status } = route;
    response =
      answer instanceof Response ? answer : new Response(JSON.stringify(answer), { status, headers });
  } catch (thrown) {
    response = errorResponse(services, route.path, toAppError(thrown), headers);
  }
  const seconds = (performance.now() - startMs) / 1000;
  services.metrics.observe(route.path, route.method, response.status, seconds);
  noteRequest(services, route, response.status, requestId, seconds);
  return response;
}

/** What was refused is told by default; what went well only on demand, because agents ask all day. */
function noteRequest(
  services: RestServices,
  route: Route,
  status: number,
  requestId: string,
  seconds: number,
): void {
  const level = status >= 400 ? 'info' : 'debug';
  if (!services.log.isEnabled(level)) return;
  const ms = Math.round(seconds * 1e6) / 1e3;
  services.log[level]({ req_id: requestId, route: route.path, method: route.method, status, ms }, 'request');
}

function createCall(
  c: Context,
  services: RestServices,
  route: Route,
  identity: Call['identity'],
  requestId: string,
  headers: Call['headers'],
): Call {
  const query = (name: string) => c.req.query(name);
  const header = (name: string) => requestHeader(c, name);
  const named = route.takesCaller ? query('caller') : undefined;
  const memory = async () => {
    const found = memoryFor(services, identity, named);
    const seen = { action: 'read', target: named, detail: route.path };
    if (named !== undefined) await noteAccess(services, identity.caller, seen);
    return found;
  };
  return { c, services, identity, requestId, headers, header, query, memory };
}

function answerHeaders(requestId: string): Record<string, string> {
  return { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': requestId };
}

function refuse(
  c: Context,
  services: RestServices,
  error: AppError,
  extra: Record<string, string> = {},
): Response {
  const headers = { ...answerHeaders(requestIdOf(c)), ...extra };
  const response = errorResponse(services, 'none', error, headers);
  services.metrics.observe('none', c.req.method, response.status, 0);
  return response;
}

function errorResponse(
  services: RestServices,
  route: string,
  error: AppError,
  headers: Record<string, string>,
): Response {
  const { http: status } = ERRORS[error.code];
  const requestId = headers['x-request-id'];
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="helmdeck"';
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  // A run that ended because nobody waits for it any more is no failure of ours.
  if (status >= 500 && error.reason !== 'cancelled') {
    const at = errorFrames(error.cause ?? error);
    services.log.error(
      { req_id: requestId, route, code: error.code, reason: error.reason, at },
      'request failed',
    );
  }
  return new Response(JSON.stringify(errorEnvelope(error, requestId)), { status, headers });
}

function requestIdOf(c: Context): string {
  return harmlessRequestId(requestHeader(c, 'x-request-id')) ?? randomUUID();
}

/** `{key}` takes the rest of the path, slashes and all; every other parameter is one segment. */
function honoPattern(path: string): string {
  return path.replace(/\{key\}.*$/, ':key{.+}').replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Tells `…/{key}/history` from `…/{key}`: by a literal suffix, which a key's own encoded slash never makes. */
function fitsPath(route: Route, c: Context): boolean {
  const [base = '', suffix] = route.path.split('{key}');
  if (!suffix) return true;
  const path = rawPath(c.req.url);
  // The key `history` itself is no key with a suffix.
  return path.endsWith(suffix) && path.length > base.length + suffix.length;
}
