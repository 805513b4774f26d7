import type { Context } from 'hono';
import type { Memory } from '../../memory/memory.ts';
import type { HttpRoute } from '../http/app.ts';
import type { Identity } from '../http/auth.ts';
import { hasEnded } from '../http/authenticate.ts';
import { type RequestContext, requestHeader } from '../http/request-context.ts';
import { assertMayNameCaller, assertMayNameSpace, mayStillRead, memoryOfRequest } from './access.ts';
import { adminRoutes } from './admin-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { factRoutes } from './fact-routes.ts';
import { forgetRoutes } from './forget-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { harvestRoutes } from './move/harvest-routes.ts';
import { portabilityRoutes } from './move/portability-routes.ts';
import { oauthClientRoutes } from './oauth/client-routes.ts';
import { consentRoutes } from './oauth/consent-routes.ts';
import { oauthMetadataRoutes } from './oauth/metadata-routes.ts';
import { docsRoutes } from './openapi/docs-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { packRoutes } from './pack-routes.ts';
import { oidcRoutes } from './people/oidc-routes.ts';
import { passwordRoutes } from './people/password-routes.ts';
import { userRoutes } from './people/user-routes.ts';
import { pipelineRoutes } from './pipeline-routes.ts';
import { pipelineRunRoutes } from './pipeline-run-routes.ts';
import { procedureRoutes } from './procedures/procedure-routes.ts';
import { inboxRoutes } from './review/inbox-routes.ts';
import { notesRoutes } from './review/notes-routes.ts';
import { reviewRoutes } from './review/review-routes.ts';
import type { Call, RestServices, Route, UndocumentedRoute } from './route.ts';
import { routingRoutes } from './routing-routes.ts';
import { runHistoryRoutes } from './run-history-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { grantRoutes } from './spaces/grant-routes.ts';
import { spaceRoutes } from './spaces/space-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { memoryWords, tierRoutes } from './tiers/tier-routes.ts';
import { tokenRoutes } from './token-routes.ts';

const MEMORY_ROUTES: readonly Route[] = [
  ...factRoutes,
  ...searchRoutes,
  ...overviewRoutes,
  ...runHistoryRoutes,
  ...notesRoutes,
  ...reviewRoutes,
  ...inboxRoutes,
  ...spaceRoutes,
  ...grantRoutes,
  ...forgetRoutes,
  ...harvestRoutes,
  ...portabilityRoutes,
  ...eventRoutes,
];

const OTHER_ROUTES: readonly Route[] = [
  ...packRoutes,
  ...jobRoutes,
  ...routingRoutes,
  ...sessionRoutes,
  ...pipelineRoutes,
  ...pipelineRunRoutes,
  ...procedureRoutes,
  ...adminRoutes,
  ...userRoutes,
  ...authRoutes,
  ...passwordRoutes,
  ...consentRoutes,
  ...oauthClientRoutes,
  ...oauthMetadataRoutes,
  ...tokenRoutes,
  ...systemRoutes,
];

/** Every route of the REST surface. */
export const ROUTES: readonly Route[] = [
  ...MEMORY_ROUTES,
  ...tierRoutes(memoryWords([...MEMORY_ROUTES, ...OTHER_ROUTES])),
  ...OTHER_ROUTES,
];

/** The routes of the REST surface as the HTTP app serves them. */
export function restRoutes(services: RestServices): HttpRoute[] {
  return [...ROUTES, ...oidcRoutes, ...docsRoutes(ROUTES)].map((route) => ({
    method: route.method,
    path: route.path,
    scope: route.scope,
    status: route.status,
    anyHost: route.anyHost,
    handle(request) {
      assertMayNameCaller(request, route);
      assertMayNameSpace(request, route);
      return route.handler(new RestCall(request, services, route));
    },
  }));
}

/** One request to a REST route. */
class RestCall implements Call {
  readonly c: Context;
  readonly services: RestServices;
  readonly identity: Identity;
  readonly requestId: string;
  readonly headers: Record<string, string>;
  readonly #route: UndocumentedRoute;

  constructor(
    { c, identity, requestId, headers }: RequestContext,
    services: RestServices,
    route: UndocumentedRoute,
  ) {
    this.c = c;
    this.services = services;
    this.identity = identity;
    this.requestId = requestId;
    this.headers = headers;
    this.#route = route;
  }

  get route(): string {
    return this.#route.path;
  }

  header(name: string): string | undefined {
    return requestHeader(this.c, name);
  }

  query(name: string): string | undefined {
    return this.c.req.query(name);
  }

  memory(): Promise<Memory> {
    return memoryOfRequest(this, this.#route);
  }

  hasEnded(): boolean {
    const { services, identity } = this;
    const slug = this.#route.takesSpace ? this.query('space') : undefined;
    return hasEnded(services, identity) || (slug !== undefined && !mayStillRead(services, identity, slug));
  }
}
