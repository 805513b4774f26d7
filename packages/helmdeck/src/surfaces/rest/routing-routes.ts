import { z } from 'zod';
import { routingCandidates, routingGuide } from '../../engine/routing/routing-guide.ts';
import { createMemory } from '../../memory/memory.ts';
import type { Route } from './route.ts';
import { metadataSchema } from './schemas/pack-schemas.ts';

const anyObject = z.record(z.string(), z.unknown());

/** The guide that tells models which pack or pipeline fits a request. */
export const routingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/routing-guide',
    tag: 'Packs',
    summary: 'What you may run and how to choose from it, for models',
    scope: 'any',
    response: z.strictObject({
      rules: z.array(z.string()),
      pipelines: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          inputs: anyObject,
          metadata: metadataSchema,
        }),
      ),
      packs: z.array(
        z.strictObject({
          id: z.string(),
          description: z.string(),
          input_schema: anyObject,
          metadata: metadataSchema,
        }),
      ),
    }),
    async handler({ services, identity }) {
      const on = services.memoryIfOn();
      const { pipelines, engine } = services;
      const known = on ? await pipelines.list(createMemory(on.parts, identity.caller)) : [];
      return routingGuide(routingCandidates(engine.packs, known, identity.scopes));
    },
  },
];
