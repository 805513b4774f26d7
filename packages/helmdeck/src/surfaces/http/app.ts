import { type Context, Hono } from 'hono';
import { AppError, toAppError } from '../../errors.ts';
import { assertScope, type Identity, type Scope } from './auth.ts';
import { assertOwnHost, authenticate } from './authenticate.ts';
import { assertOwnOrigin, hasOwnHost } from './origin.ts';
import { assertAudience, type ProtectedResource } from './protected-resource.ts';
import {
  type HttpServices,
  logServerError,
  NO_ROUTE,
  RequestContext,
  recordRequest,
} from './request-context.ts';
import { errorResponse } from './respond.ts';
import { createRouter, honoPattern, routePicker } from './router.ts';

/** A path and method of any surface, and what a request needs before its handler runs. */
export interface HttpRoute {
  /** `ALL` takes every method that no other route of this path takes. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL';
  /** As documented, such as `/api/v1/memory/facts/{key}`; also the label in logs and metrics. */
  path: string;
  /** The methods it supports, where `method` is `ALL`. */
  allow?: readonly string[];
  /** Rejects requests with an Origin other than this server's. */
  ownOriginOnly?: boolean;
  /** Set for MCP URLs that OAuth clients can get tokens for. Tokens for an audience are accepted nowhere else. */
  resource?: ProtectedResource;
  /** Serves requests under every host name, also without a token. */
  anyHost?: boolean;
  /** `public`: no token; `any`: any token. */
  scope: Scope | 'public' | 'any';
  /** Status of a successful response; 200 by default. */
  status?: number;
  /** Returns the body of a JSON response, or a whole `Response` made with `request.headers`. */
  handle(request: RequestContext): unknown;
}

/**
 * The HTTP server of all surfaces: every request to REST, MCP and QMD goes through `serve`.
 * `fallback` may answer requests that match no route, such as those for the pages of the UI.
 */
export function createHttpApp(
  services: HttpServices,
  routes: readonly HttpRoute[],
  fallback?: (request: Request) => Response | undefined,
): Hono {
  const app = new Hono({ router: createRouter() });
  const patterns = [...Map.groupBy(routes, ({ path }) => honoPattern(path))].map(([pattern, samePattern]) => {
    const byMethod = Map.groupBy(samePattern, ({ method }) => method);
    return { pattern, pickers: new Map([...byMethod].map(([method, same]) => [method, routePicker(same)])) };
  });
  const otherMethod = (c: Context, pickers: (typeof patterns)[number]['pickers']) => {
    const allow = [...pickers].filter(([, pickRoute]) => pickRoute(c.req.url)).map(([method]) => method);
    return serve(c, services, { ...UNMATCHED, allow });
  };
  for (const { pattern, pickers } of patterns) {
    for (const [method, pickRoute] of pickers) {
      app.on(method, pattern, (c) => {
        const route = pickRoute(c.req.url);
        return route ? serve(c, services, route) : otherMethod(c, pickers);
      });
    }
  }
  for (const { pattern, pickers } of patterns)
    if (!pickers.has('ALL')) app.all(pattern, (c) => otherMethod(c, pickers));
  app.notFound((c) => (hasOwnHost(c, services) && fallback?.(c.req.raw)) || serve(c, services, UNMATCHED));
  app.onError((thrown, c) => serve(c, services, { ...UNMATCHED, handle: () => Promise.reject(thrown) }));
  return app;
}

const UNMATCHED: HttpRoute = {
  method: 'ALL',
  path: NO_ROUTE,
  scope: 'public',
  handle() {
    throw new AppError('not_found', 'There is nothing at this address.');
  },
};

/**
 * Serves one request, one concern per line. Plain calls, because Hono middleware would add a promise for each of them.
 * Bodies are limited where they are read, in `body.ts`: an import has no limit.
 */
async function serve(c: Context, services: HttpServices, route: HttpRoute): Promise<Response> {
  const { path, scope, status } = route;
  const method = route.method === 'ALL' ? c.req.method : route.method;
  const request = new RequestContext(c); // request id, start time, standard headers
  let response: Response;
  try {
    if (route.allow) assertMethod(method, route.allow);
    if (route.ownOriginOnly) assertOwnOrigin(c, services);
    if (scope === 'public' && !route.anyHost) await assertOwnHost(c, services);
    if (scope !== 'public') request.identity = await authenticate(c, services);
    if (request.identity.audience !== undefined) assertAudience(request.identity, route.resource);
    if (scope !== 'public' && scope !== 'any') assertScope(request.identity, scope);
    if (scope !== 'public') takeRead(services, request.identity);
    const result = await route.handle(request);
    response =
      result instanceof Response
        ? result
        : new Response(JSON.stringify(result), { status, headers: request.headers });
  } catch (thrown) {
    const error = toAppError(thrown);
    logServerError(services, request, path, error);
    services.metrics.failed(path, error.code);
    response = errorResponse(request, error, route);
  }
  recordRequest(services, request, path, method, response.status); // metrics and access log
  return response;
}

/** Every request with an identity is at least one read; what costs more takes more from the same bucket where it happens. */
function takeRead(services: HttpServices, { caller }: Identity): void {
  const parts = services.memoryIfOn()?.parts;
  parts?.limits.takeReads(parts.directory.idOf(caller), 1);
}

function assertMethod(method: string, allow: readonly string[]): void {
  if (!allow.includes(method)) throw new AppError('method_not_allowed', `Use ${allow.join(' or ')} here.`);
}
