import { routingCandidates, routingGuide } from '../../engine/routing/routing-guide.ts';
import { createMemory } from '../../memory/memory.ts';
import type { Route } from './route.ts';
import { routingGuideResponse } from './schemas/pack-schemas.ts';

/** The guide that tells models which pack or pipeline fits a request. */
export const routingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/routing-guide',
    tag: 'Packs',
    operationId: 'getRoutingGuide',
    summary: 'What you may run and how to choose from it, for models',
    scope: 'any',
    response: routingGuideResponse,
    async handler({ services, identity }) {
      const on = services.memoryIfOn();
      const { pipelines, engine } = services;
      const known = on ? await pipelines.list(createMemory(on.parts, identity.caller)) : [];
      return routingGuide(routingCandidates(engine.packs, known, identity.scopes));
    },
  },
];
