import { z } from 'zod';
import { mayRun } from '../../engine/engine.ts';
import type { Pack } from '../../engine/pack/pack.ts';
import { sourceOf } from '../http/auth.ts';
import { optionalJsonBody } from '../http/body.ts';
import { PACK_ERRORS } from './openapi/route-errors.ts';
import type { Call, Route } from './route.ts';
import { jobSchema, packInput, packSchema, runResponse } from './schemas/pack-schemas.ts';

/** A pack as `GET /packs` shows it. */
function packView(call: Call, pack: Pack) {
  const { engine } = call.services;
  const { scopes } = call.identity;
  const versions = engine.packs.versions(pack.name).map((each) => each.version);
  return {
    name: pack.name,
    description: pack.description,
    versions,
    latest: versions.at(-1)!,
    version: pack.version,
    metadata: pack.metadata,
    input_schema: pack.inputSchema,
    output_schema: pack.outputSchema,
    async: pack.async,
    scopes: [...pack.scopes],
    allowed: (scopes.has('packs:run') || scopes.has('admin')) && mayRun(pack, scopes),
  };
}

const describe = async (call: Call) => {
  const { name = '', version } = call.c.req.param();
  return packView(call, call.services.engine.packs.get(name, version));
};

/** Runs a pack and waits for it, or starts it as a job and responds with 202. */
async function run(call: Call): Promise<unknown> {
  const { engine, jobs } = call.services;
  const { name = '', version } = call.c.req.param();
  const { caller, scopes } = call.identity;
  const input = (await optionalJsonBody(call.c)) ?? {};
  const noCache = /\bno-cache\b/i.test(call.header('cache-control') ?? '');
  const request = {
    pack: name,
    version,
    input,
    caller,
    scopes,
    spaceAccess: call.identity,
    source: sourceOf(call.identity, call.services.surface),
    noCache,
  };
  if (!engine.packs.get(name, version).async)
    return engine.execute({ ...request, signal: call.c.req.raw.signal });
  const job = await jobs.start(request);
  const headers = { ...call.headers, location: `/api/v1/jobs/${job.job_id}` };
  return new Response(JSON.stringify(job), { status: 202, headers });
}

const reading = { method: 'GET', tag: 'Packs', scope: 'any', worksWithoutMemory: true } as const;
const running = {
  method: 'POST',
  tag: 'Packs',
  scope: 'packs:run',
  requestHeaders: ['Cache-Control'],
  body: packInput.optional(),
  response: runResponse,
  otherResponse: { status: 202, schema: jobSchema, headers: ['Location'] },
  errors: PACK_ERRORS,
} as const;

/** Listing and running packs. */
export const packRoutes: readonly Route[] = [
  {
    ...reading,
    path: '/api/v1/packs',
    operationId: 'listPacks',
    summary: 'Every pack, by name',
    response: z.array(packSchema),
    async handler(call) {
      const { packs } = call.services.engine;
      return packs.names().map((name) => packView(call, packs.get(name)));
    },
  },
  {
    ...reading,
    path: '/api/v1/packs/{name}',
    operationId: 'getPack',
    summary: 'One pack, its latest version',
    errors: ['not_found'],
    response: packSchema,
    handler: describe,
  },
  {
    ...reading,
    path: '/api/v1/packs/{name}/{version}',
    operationId: 'getPackVersion',
    summary: 'One version of a pack',
    errors: ['not_found'],
    response: packSchema,
    handler: describe,
  },
  {
    ...running,
    path: '/api/v1/packs/{name}',
    operationId: 'runPack',
    summary: 'Run a pack; "Cache-Control: no-cache" makes a new result',
    handler: run,
  },
  {
    ...running,
    path: '/api/v1/packs/{name}/{version}',
    operationId: 'runPackVersion',
    summary: 'Run one version of a pack',
    handler: run,
  },
];
