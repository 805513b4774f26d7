import { beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../packages/helmdeck/src/errors.ts';
import { openApiDocument } from '../../packages/helmdeck/src/surfaces/rest/openapi/document.ts';
import { errorCodesOf } from '../../packages/helmdeck/src/surfaces/rest/openapi/route-errors.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { assertDocumentedError } from '../support/documented-errors.ts';

interface Schema {
  $ref?: string;
  type?: string;
  items?: Schema;
  pattern?: string;
  examples?: unknown[];
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { $ref?: string; headers?: object; content?: Content }>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
}

let document: Document;
beforeAll(async () => {
  const server = await testServer();
  document = (await (await server.call(undefined, 'GET', '/openapi.json')).json()) as Document;
  await server.close();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
const operationOf = (operationId: string) =>
  operations().find(({ operation }) => operation.operationId === operationId)!.operation;
const codesOf = (operationId: string) =>
  errorCodesOf(ROUTES.find((route) => route.operationId === operationId)!);
const resolved = <T extends { $ref?: string }>(node: T): T =>
  node.$ref === undefined
    ? node
    : (node.$ref
        .slice(2)
        .split('/')
        .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document) as T);

describe('the OpenAPI document', () => {
  it('the operation ids are pinned, because generated clients have functions of these names', () => {
    const ids = operations().map(({ name, operation }) => `${operation.operationId}: ${name}`);
    expect(ids.sort()).toMatchInlineSnapshot(`
      [
        "acceptInvitation: POST /api/v1/auth/invitation/accept",
        "acceptProposal: POST /api/v1/memory/inbox/{proposal}/accept",
        "addSpace: POST /api/v1/spaces",
        "addUser: POST /api/v1/users",
        "cancelJob: DELETE /api/v1/jobs/{job}",
        "cancelPipelineRun: POST /api/v1/pipelines/runs/{run}/cancel",
        "cancelRunOfPipeline: POST /api/v1/pipelines/{pipeline}/runs/{run}/cancel",
        "changeFacts: POST /api/v1/memory/facts/bulk",
        "changePassword: POST /api/v1/auth/password",
        "changeUser: PATCH /api/v1/users/{id}",
        "confirmClock: POST /api/v1/clock/confirm",
        "confirmFact: POST /api/v1/memory/facts/{key}/confirm",
        "createPipeline: POST /api/v1/pipelines",
        "createPipelineFromRuns: POST /api/v1/pipelines/from-runs",
        "decideConsent: POST /api/v1/oauth/consent",
        "decideProposals: POST /api/v1/memory/inbox/decide",
        "deleteFromTier: DELETE /api/v1/memory/{agent_id}/{key}",
        "deletePipeline: DELETE /api/v1/pipelines/{pipeline}",
        "dismissProcedureCandidate: POST /api/v1/procedures/candidates/{candidate}/dismiss",
        "endPackSession: DELETE /api/v1/sessions/{session}",
        "eraseSpace: DELETE /api/v1/spaces/{slug}",
        "exportFacts: GET /api/v1/memory/export",
        "forgetByScope: POST /api/v1/memory/forget",
        "forgetFact: DELETE /api/v1/memory/facts/{key}",
        "getActivity: GET /api/v1/memory/activity",
        "getAuthorizationServer: GET /.well-known/oauth-authorization-server",
        "getBackups: GET /api/v1/backups",
        "getClock: GET /api/v1/clock",
        "getFacets: GET /api/v1/memory/facets",
        "getFact: GET /api/v1/memory/facts/{key}",
        "getFactHistory: GET /api/v1/memory/facts/{key}/history",
        "getHealth: GET /healthz",
        "getJob: GET /api/v1/jobs/{job}",
        "getLearnedDefaults: GET /api/v1/memory/defaults",
        "getMcpResource: GET /.well-known/oauth-protected-resource/{key}",
        "getMemoryContext: GET /api/v1/memory/context",
        "getMemoryOverview: GET /api/v1/memory/mine",
        "getMemoryStats: GET /api/v1/memory/stats",
        "getMetrics: GET /metrics",
        "getOpenIdConfiguration: GET /.well-known/openid-configuration",
        "getPack: GET /api/v1/packs/{name}",
        "getPackSession: GET /api/v1/sessions/{session}",
        "getPackVersion: GET /api/v1/packs/{name}/{version}",
        "getPipeline: GET /api/v1/pipelines/{pipeline}",
        "getPipelineRun: GET /api/v1/pipelines/runs/{run}",
        "getPromptNotes: POST /api/v1/memory/prompt-notes",
        "getReadiness: GET /readyz",
        "getRoutingGuide: GET /api/v1/routing-guide",
        "getRunOfPipeline: GET /api/v1/pipelines/{pipeline}/runs/{run}",
        "getServerResource: GET /.well-known/oauth-protected-resource",
        "getSpace: GET /api/v1/spaces/{slug}",
        "getStartNotes: GET /api/v1/memory/start-notes",
        "getVersion: GET /version",
        "grantSpace: PUT /api/v1/spaces/{slug}/grants/{principal}",
        "harvestConversation: POST /api/v1/memory/harvest",
        "importFacts: POST /api/v1/memory/import",
        "issueAccessToken: POST /oauth/token",
        "listAuditRecords: GET /api/v1/audit",
        "listCallers: GET /api/v1/memory/callers",
        "listDisagreements: GET /api/v1/memory/disagreements",
        "listFacts: GET /api/v1/memory/facts",
        "listGrants: GET /api/v1/spaces/{slug}/grants",
        "listInbox: GET /api/v1/memory/inbox",
        "listJobs: GET /api/v1/jobs",
        "listOwnProposals: GET /api/v1/spaces/{slug}/proposals",
        "listPackSessions: GET /api/v1/sessions",
        "listPacks: GET /api/v1/packs",
        "listPipelineRuns: GET /api/v1/pipeline-runs",
        "listPipelines: GET /api/v1/pipelines",
        "listProcedureCandidates: GET /api/v1/procedures/candidates",
        "listRecalls: GET /api/v1/memory/recalls",
        "listReceiptKeys: GET /.well-known/helmdeck-receipts.json",
        "listRunRecords: GET /api/v1/memory/run-records",
        "listRunsOfPipeline: GET /api/v1/pipelines/{pipeline}/runs",
        "listSignInMethods: GET /api/v1/auth/methods",
        "listSpaces: GET /api/v1/spaces",
        "listTokens: GET /api/v1/tokens",
        "listUsers: GET /api/v1/users",
        "logIn: POST /api/v1/auth/login",
        "makeConnectCode: POST /api/v1/connect-codes",
        "mintToken: POST /api/v1/tokens",
        "openPackSession: POST /api/v1/sessions",
        "promoteFact: POST /api/v1/memory/facts/{key}/promote",
        "promoteProcedureCandidate: POST /api/v1/procedures/candidates/{candidate}/promote",
        "readConsent: GET /api/v1/oauth/consent",
        "readInvitation: POST /api/v1/auth/invitation",
        "readTier: GET /api/v1/memory/{agent_id}",
        "redeemConnectCode: POST /api/v1/connect-codes/redeem",
        "registerClient: POST /oauth/register",
        "rejectProposal: POST /api/v1/memory/inbox/{proposal}/reject",
        "removeUser: DELETE /api/v1/users/{id}",
        "replacePipeline: PUT /api/v1/pipelines/{pipeline}",
        "rerunPipelineRun: POST /api/v1/pipelines/runs/{run}/rerun",
        "rerunRunOfPipeline: POST /api/v1/pipelines/{pipeline}/runs/{run}/rerun",
        "resetUser: POST /api/v1/users/{id}/invitation",
        "resumePipelineRun: POST /api/v1/pipelines/runs/{run}/resume",
        "resumeRunOfPipeline: POST /api/v1/pipelines/{pipeline}/runs/{run}/resume",
        "revokeAccessToken: POST /oauth/revoke",
        "revokeGrant: DELETE /api/v1/spaces/{slug}/grants/{principal}",
        "revokeToken: DELETE /api/v1/tokens/{jti}",
        "revokeTokens: POST /api/v1/tokens/revoke",
        "runPack: POST /api/v1/packs/{name}",
        "runPackVersion: POST /api/v1/packs/{name}/{version}",
        "searchFacts: GET /api/v1/memory/search",
        "settleDisagreement: POST /api/v1/memory/disagreements/{disagreement}/settle",
        "signIn: POST /api/v1/auth/session",
        "signOut: DELETE /api/v1/auth/session",
        "startPipelineRun: POST /api/v1/pipelines/{pipeline}/run",
        "storeFact: POST /api/v1/memory/store",
        "storeFacts: POST /api/v1/memory/store/batch",
        "streamMemoryEvents: GET /api/v1/memory/events",
        "streamPipelineRunEvents: GET /api/v1/pipelines/runs/{run}/events",
        "streamRunEventsOfPipeline: GET /api/v1/pipelines/{pipeline}/runs/{run}/events",
        "updateFact: PATCH /api/v1/memory/facts/{key}",
        "updateSpace: PATCH /api/v1/spaces/{slug}",
        "verifyAudit: GET /api/v1/audit/verify",
        "whoAmI: GET /api/v1/auth/session",
        "writeTier: POST /api/v1/memory/{agent_id}",
      ]
    `);
    expect(new Set(ROUTES.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  });

  it('every reference in the document resolves', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => $ref!);
    expect(references.length).toBeGreaterThan(500);
    expect(references.filter(($ref) => resolved({ $ref }) === undefined)).toEqual([]);
  });

  it('the document is OpenAPI 3.1, names its server, and describes every tag that an operation has', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    const used = new Set(operations().flatMap(({ operation }) => operation.tags));
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(used);
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  it('a body is required exactly where the server refuses a request without one', async () => {
    const server = await testServer({
      env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', HELMDECK_PUBLIC_URL: 'http://127.0.0.1:3000' },
    });
    const token = await server.token('root', { scopes: ['admin'] });
    for (const { name, operation } of operations()) {
      if (!operation.requestBody) continue;
      const [method = '', path = ''] = name.replaceAll(/\{\w+\}/g, 'x').split(' ');
      const headers = { authorization: `Bearer ${token}` };
      const answer = await server.call(undefined, method, path, undefined, headers);
      const { message = '' } = (await answer.json()) as { message?: string };
      expect(message.startsWith('The body is empty'), name).toBe(operation.requestBody.required);
    }
    await server.close();
  });

  it('every JSON body has an example, and the route accepts it', () => {
    for (const route of ROUTES) {
      if (!route.body) continue;
      const { content } = operationOf(route.operationId).requestBody!;
      const { examples = [] } = resolved(Object.values(content)[0]!.schema);
      expect(examples.length, route.operationId).toBeGreaterThan(0);
      for (const example of examples) route.body.parse(example);
    }
  });

  it('every JSON response has a schema with a name, or is a list of such', () => {
    const anonymous = operations().filter(({ operation }) =>
      Object.values(operation.responses).some((response) => {
        const schema = response.content?.['application/json']?.schema;
        return schema !== undefined && (schema.items ?? schema).$ref === undefined;
      }),
    );
    expect(anonymous.map(({ name }) => name)).toEqual([]);
  });

  it('where two paths could match the same request, the pattern of a parameter excludes the literal of the other', () => {
    const parameters = operations().flatMap(({ operation }) => operation.parameters);
    const patterns = new Map(parameters.map(({ name, schema }) => [`{${name}}`, schema.pattern]));
    const isParameter = (segment: string) => segment.startsWith('{');
    const paths = Object.keys(document.paths).map((path) => path.split('/'));
    // `/a/{b}` beside `/a/c` is clear: in OpenAPI a literal path comes first.
    const crossing = paths.flatMap((a) =>
      paths
        .filter((b) => a.length === b.length)
        .filter((b) => a.every((each, i) => each === b[i] || isParameter(each) || isParameter(b[i]!)))
        .filter((b) => a.some((each, i) => isParameter(each) && !isParameter(b[i]!)))
        .filter((b) => a.some((each, i) => !isParameter(each) && isParameter(b[i]!)))
        .map((b) => [a, b] as const),
    );
    expect(crossing.map(([a, b]) => `${a.join('/')} ${b.join('/')}`)).toContain(
      '/api/v1/pipelines/{pipeline}/runs /api/v1/pipelines/runs/{run}',
    );
    const excludes = (a: readonly string[], b: readonly string[]) =>
      a.some((each, i) => {
        const pattern = patterns.get(each);
        return pattern !== undefined && !isParameter(b[i]!) && !new RegExp(pattern).test(b[i]!);
      });
    expect(crossing.filter(([a, b]) => !excludes(a, b) && !excludes(b, a))).toEqual([]);
  });

  it('the headers that change or describe a response are documented where they apply', () => {
    const sent = (operationId: string) =>
      operationOf(operationId)
        .parameters.filter((parameter) => parameter.in === 'header')
        .map(({ name }) => name);
    const received = (operationId: string, status: number) =>
      Object.keys(resolved(operationOf(operationId).responses[status]!).headers!);
    expect(sent('storeFact')).toEqual(['If-Match', 'Idempotency-Key']);
    expect(sent('updateFact')).toEqual(['If-Match']);
    expect(sent('runPack')).toEqual(['Cache-Control']);
    expect(received('storeFact', 200)).toEqual(['X-Request-Id', 'ETag', 'Idempotent-Replayed']);
    expect(received('storeFact', 429)).toEqual(['X-Request-Id', 'Retry-After']);
    expect(received('storeFact', 401)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(received('runPack', 202)).toEqual(['X-Request-Id', 'Location']);
  });
});

describe('documented errors', () => {
  it('an operation lists the error codes that it can respond with, by status', () => {
    const forToken: ErrorCode[] = ['missing_bearer', 'invalid_token', 'token_expired', 'token_revoked'];
    const forScope: ErrorCode[] = ['insufficient_scope', 'forbidden_origin'];
    expect(codesOf('getHealth')).toEqual(['internal']);
    expect(codesOf('getVersion')).toEqual([
      'invalid_token',
      'token_expired',
      'token_revoked',
      'forbidden_origin',
      'internal',
      'resource_exhausted',
    ]);
    expect(codesOf('listPacks')).toEqual([
      'invalid_input',
      ...forToken,
      ...forScope,
      'rate_limited',
      'internal',
      'resource_exhausted',
    ]);
    expect(codesOf('storeFact')).toEqual([
      'invalid_input',
      ...forToken,
      ...forScope,
      'unknown_space',
      'conflict',
      'precondition_failed',
      'payload_too_large',
      'unsupported_media_type',
      'secret_detected',
      'quota_exceeded',
      'rate_limited',
      'internal',
      'memory_unavailable',
      'resource_exhausted',
    ]);
    expect(Object.keys(operationOf('getFact').responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '429',
      '500',
      '503',
    ]);
  });

  it('the schema of an error response is the error envelope with the codes of that operation', () => {
    expect(resolved(operationOf('getFact').responses[404]!).content).toEqual({
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorEnvelope' },
            {
              type: 'object',
              properties: { error: { type: 'string', enum: ['not_found', 'unknown_space'] } },
            },
          ],
        },
      },
    });
  });

  it('the check of observed errors fails on a code that the operation does not list', async () => {
    const answer = (error: string) => Response.json({ error, message: '' }, { status: 409 });
    await assertDocumentedError('GET', '/api/v1/memory/facts/a%2Fb?version=1', answer('not_found'));
    await expect(
      assertDocumentedError('GET', '/api/v1/memory/facts/a', answer('not_cancellable')),
    ).rejects.toThrow('the errors of GET /api/v1/memory/facts/{key}');
    await assertDocumentedError('DELETE', '/api/v1/jobs/x', answer('not_cancellable'));
  });

  it('a document without routes has no operations and the shared error schema', () => {
    const empty = openApiDocument([], '1.2.3') as unknown as Document & { info: { version: string } };
    expect(empty.info.version).toBe('1.2.3');
    expect(empty.paths).toEqual({});
    expect(Object.keys(empty.components.schemas!)).toEqual(['ErrorEnvelope', 'ErrorCode']);
  });
});
