import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import type { TestServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { assertDocumentedError } from './documented-errors.ts';

/** The caller of a request, as its token identifies them. */
export interface Who {
  subject: string;
  tenant?: string;
  scopes?: readonly string[];
  client?: string;
}

export interface Probe {
  method: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** A pipeline with a built-in pack. */
export const PIPELINE = {
  name: 'probe',
  steps: [{ id: 'look', pack: 'helmdeck.memory_history', input: { key: '${{ inputs.key }}' } }],
};

/** A valid request for each route, given the key of a fact and the id of a token. */
const PROBES: Record<string, (key: string, jti: string) => Partial<Omit<Probe, 'method'>>> = {
  'POST /api/v1/memory/store': () => ({ body: { key: 'probe', value: 'own' } }),
  'POST /api/v1/memory/store/batch': () => ({ body: { facts: [{ key: 'probe', value: 'own' }] } }),
  'GET /api/v1/memory/facts': () => ({}),
  'POST /api/v1/memory/facts/bulk': (key) => ({ body: { keys: [key], add_tags: ['probed'] } }),
  'GET /api/v1/memory/facts/{key}/history': () => ({}),
  'GET /api/v1/memory/facts/{key}': () => ({}),
  'POST /api/v1/memory/facts/{key}/confirm': () => ({ body: {} }),
  'PATCH /api/v1/memory/facts/{key}': () => ({ body: { tags: ['probed'] } }),
  'DELETE /api/v1/memory/facts/{key}': () => ({}),
  'GET /api/v1/memory/search': () => ({}),
  'GET /api/v1/memory/facets': () => ({}),
  'GET /api/v1/memory/mine': () => ({}),
  'GET /api/v1/memory/context': () => ({}),
  'GET /api/v1/memory/stats': () => ({}),
  'POST /api/v1/memory/forget': () => ({ body: { scope: 'facts' } }),
  'POST /api/v1/memory/harvest': () => ({
    body: { turns: [{ role: 'user', text: 'I prefer tabs.' }] },
  }),
  'GET /api/v1/memory/export': () => ({}),
  'POST /api/v1/memory/import': () => ({ body: '{"key":"probe","value":"own"}\n', headers: NDJSON }),
  'GET /api/v1/memory/events': () => ({}),
  'GET /api/v1/memory/defaults': () => ({}),
  'GET /api/v1/memory/activity': () => ({}),
  'GET /api/v1/memory/run-records': () => ({}),
  'GET /api/v1/memory/recalls': () => ({}),
  'GET /api/v1/memory/start-notes': () => ({}),
  'POST /api/v1/memory/prompt-notes': (key) => ({ body: { prompt: `What about ${key}?` } }),
  'GET /api/v1/memory/disagreements': () => ({}),
  'POST /api/v1/memory/disagreements/{disagreement}/settle': () => ({}),
  'GET /api/v1/memory/inbox': () => ({}),
  'POST /api/v1/memory/inbox/{proposal}/accept': () => ({}),
  'POST /api/v1/memory/inbox/{proposal}/reject': () => ({}),
  'POST /api/v1/memory/inbox/decide': () => ({ body: { accept: [], reject: ['x'] } }),
  'GET /api/v1/spaces': () => ({}),
  'POST /api/v1/spaces': () => ({ body: { slug: 'probe' } }),
  'GET /api/v1/spaces/{slug}': () => ({}),
  'PATCH /api/v1/spaces/{slug}': () => ({ body: { quota_facts: 10 } }),
  'DELETE /api/v1/spaces/{slug}': () => ({}),
  'GET /api/v1/spaces/{slug}/proposals': () => ({}),
  'GET /api/v1/spaces/{slug}/grants': () => ({}),
  'PUT /api/v1/spaces/{slug}/grants/{principal}': () => ({ body: { role: 'reader' } }),
  'DELETE /api/v1/spaces/{slug}/grants/{principal}': () => ({}),
  'POST /api/v1/memory/facts/{key}/promote': () => ({ body: { space: 'probe' } }),
  'GET /api/v1/packs': () => ({}),
  'GET /api/v1/packs/{name}': () => ({}),
  'GET /api/v1/packs/{name}/{version}': () => ({}),
  'POST /api/v1/packs/{name}': (key) => ({ body: { key } }),
  'POST /api/v1/packs/{name}/{version}': (key) => ({ body: { key } }),
  'GET /api/v1/routing-guide': () => ({}),
  'GET /api/v1/jobs': () => ({}),
  'GET /api/v1/jobs/{job}': () => ({}),
  'DELETE /api/v1/jobs/{job}': () => ({}),
  'POST /api/v1/sessions': () => ({ body: {} }),
  'GET /api/v1/sessions': () => ({}),
  'GET /api/v1/sessions/{session}': () => ({}),
  'DELETE /api/v1/sessions/{session}': () => ({}),
  'GET /api/v1/pipelines': () => ({}),
  'POST /api/v1/pipelines': () => ({ body: PIPELINE }),
  'GET /api/v1/pipelines/{pipeline}': () => ({}),
  'PUT /api/v1/pipelines/{pipeline}': () => ({ body: PIPELINE }),
  'DELETE /api/v1/pipelines/{pipeline}': () => ({}),
  'POST /api/v1/pipelines/{pipeline}/run': () => ({ body: { inputs: { key: 'probe' } } }),
  'GET /api/v1/pipelines/{pipeline}/runs': () => ({}),
  'GET /api/v1/pipeline-runs': () => ({}),
  ...Object.fromEntries(
    ['/api/v1/pipelines/{pipeline}/runs/{run}', '/api/v1/pipelines/runs/{run}'].flatMap((path) => [
      [`GET ${path}`, () => ({})],
      [`GET ${path}/events`, () => ({})],
      [`POST ${path}/rerun`, () => ({})],
      [`POST ${path}/resume`, () => ({})],
      [`POST ${path}/cancel`, () => ({})],
    ]),
  ),
  'GET /api/v1/memory/callers': () => ({}),
  'GET /api/v1/audit': () => ({}),
  'GET /api/v1/audit/verify': () => ({}),
  'GET /api/v1/backups': () => ({}),
  'GET /api/v1/clock': () => ({}),
  'POST /api/v1/clock/confirm': () => ({}),
  'GET /api/v1/users': () => ({}),
  'POST /api/v1/users': () => ({ body: { name: 'probe', display_name: 'Probe' } }),
  'PATCH /api/v1/users/{id}': () => ({ body: { display_name: 'Probed', quota_facts: 10 } }),
  'POST /api/v1/users/{id}/invitation': () => ({}),
  'DELETE /api/v1/users/{id}': () => ({}),
  'GET /api/v1/auth/methods': () => ({}),
  'POST /api/v1/auth/invitation': () => ({ body: { invitation: 'x' } }),
  'POST /api/v1/auth/invitation/accept': () => ({
    body: { invitation: 'x', password: 'correct horse battery' },
  }),
  'POST /api/v1/auth/password': () => ({
    body: { current_password: 'correct horse battery', new_password: 'another horse battery' },
  }),
  'POST /api/v1/auth/login': () => ({ body: { username: 'admin', password: 'correct horse' } }),
  'POST /api/v1/auth/session': () => ({ body: { username: 'admin', password: 'correct horse' } }),
  'GET /api/v1/auth/session': () => ({}),
  'DELETE /api/v1/auth/session': () => ({}),
  'GET /api/v1/tokens': () => ({}),
  'POST /api/v1/tokens': () => ({ body: { name: 'probe', scopes: [] } }),
  'POST /api/v1/connect-codes': () => ({ body: { name: 'probe', scopes: [] } }),
  'POST /api/v1/connect-codes/redeem': () => ({ body: { code: '0000-0000' } }),
  'DELETE /api/v1/tokens/{jti}': () => ({}),
  'POST /api/v1/tokens/revoke': () => ({ body: { before: '2020-01-01T00:00:00Z' } }),
  'GET /api/v1/oauth/consent': () => ({}),
  'POST /api/v1/oauth/consent': () => ({ body: { query: '?client_id=app_x', decision: 'deny' } }),
  'POST /oauth/register': () => ({ body: { redirect_uris: ['https://claude.ai/callback'] } }),
  'POST /oauth/token': () => ({
    body: 'grant_type=refresh_token&refresh_token=x&client_id=x',
    headers: FORM,
  }),
  'POST /oauth/revoke': () => ({ body: 'token=x', headers: FORM }),
  'GET /.well-known/oauth-protected-resource': () => ({}),
  'GET /.well-known/oauth-protected-resource/{key}': () => ({}),
  'GET /.well-known/oauth-authorization-server': () => ({}),
  'GET /.well-known/openid-configuration': () => ({}),
  'GET /api/v1/memory/{agent_id}': () => ({}),
  'POST /api/v1/memory/{agent_id}': () => ({ body: { tier: 'working', key: 'probe', value: 'own' } }),
  'DELETE /api/v1/memory/{agent_id}/{key}': (key) => ({
    path: `/api/v1/memory/prober/${encodeURIComponent(key)}?tier=working`,
  }),
  'GET /api/v1/procedures/candidates': () => ({}),
  'POST /api/v1/procedures/candidates/{candidate}/promote': () => ({ body: {} }),
  'POST /api/v1/procedures/candidates/{candidate}/dismiss': () => ({}),
  'POST /api/v1/pipelines/from-runs': () => ({ body: { runs: ['RUN-1', 'RUN-2'] } }),
  'GET /healthz': () => ({}),
  'GET /readyz': () => ({}),
  'GET /version': () => ({}),
  'GET /metrics': () => ({}),
  'GET /.well-known/helmdeck-receipts.json': () => ({}),
};

export const routeName = (route: { method: string; path: string }) => `${route.method} ${route.path}`;

/** The routes with a probe; a test compares them with ROUTES, so that no new route is left untested. */
export const PROBED = Object.keys(PROBES);

/** Ids of things that a caller owns besides facts and tokens. */
export interface Owned {
  session: string;
  job: string;
  pipeline: string;
  run: string;
  disagreement: string;
  proposal: string;
}

const NOTHING_OWNED: Owned = {
  session: 'x',
  job: 'x',
  pipeline: 'x',
  run: 'x',
  disagreement: 'x',
  proposal: 'x',
};

/** The path with more in its query, such as `caller=ada`. */
export const withQuery = (path: string, query: string) =>
  query === '' ? path : path + (path.includes('?') ? '&' : '?') + query;

/** One request for every route, in the order of ROUTES. */
export function everyRoute(
  key: string,
  jti: string,
  owned: Owned = NOTHING_OWNED,
  slug = 'SPACE',
): (Probe & { route: (typeof ROUTES)[number] })[] {
  const parameters: Record<string, string> = {
    key,
    jti,
    name: 'helmdeck.memory_history',
    version: 'v1',
    id: 'USER',
    slug,
    principal: 'ben',
    agent_id: 'prober',
    candidate: 'CANDIDATE',
    ...owned,
  };
  return ROUTES.map((route) => ({
    route,
    method: route.method,
    path: route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name]!)),
    ...PROBES[routeName(route)]?.(key, jti),
  }));
}

/** Sends a request as a caller with a tenant, or without a token; an error that is not documented fails. */
export async function callAs(server: TestServer, who: Who | undefined, probe: Probe): Promise<Response> {
  const { subject = '', ...claims } = who ?? {};
  const authorization = who && `Bearer ${await server.token(subject, claims)}`;
  const headers = { ...(authorization ? { authorization } : {}), ...probe.headers };
  const answer = await server.call(undefined, probe.method, probe.path, probe.body, headers);
  await assertDocumentedError(probe.method, probe.path, answer);
  return answer;
}

/** The whole response as text; of a stream only its first chunk. */
export async function textOf(response: Response): Promise<string> {
  const header = `${response.status} ${JSON.stringify([...response.headers])}\n`;
  if (response.headers.get('content-type') !== 'text/event-stream') return header + (await response.text());
  const reader = response.body!.getReader();
  const first = await reader.read();
  await reader.cancel();
  return header + Buffer.from(first.value ?? []).toString('utf8');
}

/** A valid request for each route of the mem0 surface, given the id of a memory and the user that it is about. */
export function everyMem0Route(id: string, userId: string): Probe[] {
  const one = encodeURIComponent(id);
  const user = `user_id=${encodeURIComponent(userId)}`;
  const messages = [{ role: 'user', content: 'I prefer tabs.' }];
  const oneMemory = (path: string, slash: string) => [
    { method: 'GET', path: `${path}${slash}` },
    { method: 'GET', path: `${path}/history${slash}` },
    { method: 'PUT', path: `${path}${slash}`, body: { text: 'own' } },
    { method: 'DELETE', path: `${path}${slash}` },
  ];
  const probes = [
    { method: 'GET', path: '/v1/ping/' },
    ...['/memories', '/v3/memories/add/'].map((path) => ({
      method: 'POST',
      path,
      body: { messages, user_id: userId },
    })),
    { method: 'GET', path: `/memories?${user}` },
    { method: 'POST', path: '/v3/memories/', body: { filters: { AND: [{ user_id: userId }] } } },
    ...['/search', '/v3/memories/search/'].map((path) => ({
      method: 'POST',
      path,
      body: { query: 'tabs', filters: { user_id: userId } },
    })),
    ...oneMemory(`/memories/${one}`, ''),
    ...oneMemory(`/v1/memories/${one}`, '/'),
    ...['/memories', '/v1/memories/'].map((path) => ({ method: 'DELETE', path: `${path}?${user}` })),
  ];
  return probes.map(({ path, ...probe }) => ({ ...probe, path: `/compat/mem0${path}` }));
}
