import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESPONSE_HEADERS } from '../../packages/helmdeck/src/surfaces/rest/openapi/headers.ts';
import { runEvent } from '../../packages/helmdeck/src/surfaces/rest/schemas/pipeline-schemas.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, everyRoute, type Probe, routeName, type Who } from '../support/every-route.ts';
import { TEST_PACKS } from '../support/test-packs.ts';

const ADMIN: Who = { subject: 'admin', scopes: ['admin'], client: 'pins' };
let server: TestServer;
let jti: string;

beforeAll(async () => {
  server = await testServer({ packs: TEST_PACKS, env: { HELMDECK_ADMIN_PASSWORD: 'correct horse' } });
  const minted = await callAs(server, ADMIN, { method: 'POST', path: '/api/v1/tokens', body: { name: 'n' } });
  jti = ((await minted.json()) as { jti: string }).jti;
});
afterAll(() => server.close());

/** Those of OAuth need a public URL and a person at a browser: their test has the whole exchange. */
const PROBES = everyRoute('a/b', 'TOKEN', {
  session: 'SESSION',
  job: 'JOB',
  pipeline: 'PIPELINE',
  run: 'RUN',
  disagreement: 'DISAGREEMENT',
  proposal: 'PROPOSAL',
}).filter(({ route }) => route.tag !== 'OAuth');

async function create(path: string, body: object): Promise<Record<string, string>> {
  return (await callAs(server, ADMIN, { method: 'POST', path, body })).json() as Promise<
    Record<string, string>
  >;
}

/** A pipeline and a run of it, cancelled if `stopped` is set. */
async function startedRun(stopped: boolean): Promise<{ pipeline: string; run: string }> {
  const steps = [{ id: 'wait', pack: 'test.slow', input: { forMs: '${{ inputs.forMs }}' } }];
  const { id } = await create('/api/v1/pipelines', { name: 'slow', steps });
  const { run_id } = await create(`/api/v1/pipelines/${id}/run`, { inputs: { forMs: 60_000 } });
  if (stopped) await create(`/api/v1/pipelines/runs/${run_id}/cancel`, {});
  return { pipeline: id!, run: run_id! };
}

/** The id of a disagreement between two facts. */
async function disagreement(): Promise<string> {
  await create('/api/v1/memory/store', { key: 'replicas', value: 'Staging has 3 replicas.' });
  await create('/api/v1/memory/store', { key: 'cluster', value: 'Staging has 5 replicas.' });
  const answer = await callAs(server, ADMIN, { method: 'GET', path: '/api/v1/memory/disagreements' });
  return ((await answer.json()) as { disagreements: { id: string }[] }).disagreements[0]!.id;
}

/** The id of a proposal. */
async function proposal(): Promise<string> {
  const text = { key: `proposed ${randomUUID()}`, value: `The build ${randomUUID()} failed.`, propose: true };
  return (await create('/api/v1/memory/store', text)).proposal_id!;
}

/** A new account: its id, and the secret of its invitation link. */
async function invitedUser(): Promise<{ name: string; id: string; invitation: string }> {
  const name = `user-${randomUUID()}`;
  const answer = await create('/api/v1/users', { name });
  const { user, invitation } = answer as unknown as { user: { id: string }; invitation: { url: string } };
  return { name, id: user.id, invitation: new URL(invitation.url).hash.slice(1) };
}

/** The person of a new account, who has set the password of the probes. */
async function signedInUser(): Promise<Who> {
  const { name, invitation } = await invitedUser();
  await create('/api/v1/auth/invitation/accept', { invitation, password: 'correct horse battery' });
  return { subject: name, client: 'browser' };
}

/** Runs two packs, the second with what the first returned; the keys of their records. */
async function keptAndUsed(pack: string): Promise<string[]> {
  const { output } = (await create('/api/v1/packs/artifact.put', { content: randomUUID() })) as unknown as {
    output: { artifact_key: string };
  };
  await create(`/api/v1/packs/${pack}`, { artifact_key: output.artifact_key });
  const answer = await callAs(server, ADMIN, { method: 'GET', path: '/api/v1/memory/run-records?limit=2' });
  return ((await answer.json()) as { runs: { key: string }[] }).runs.map(({ key }) => key);
}

/** The id of a candidate; one that was promoted cannot be dismissed. */
async function candidate(forPromotion: boolean): Promise<string> {
  const pack = forPromotion ? 'artifact.get' : 'artifact.delete';
  for (let times = 0; times < 3; times++) await keptAndUsed(pack);
  const answer = await callAs(server, ADMIN, { method: 'GET', path: '/api/v1/procedures/candidates' });
  const { candidates } = (await answer.json()) as { candidates: { id: string; steps: string[] }[] };
  return candidates.find(({ steps }) => steps.at(-1) === pack)!.id;
}

const newSlug = () => `probe-${randomUUID()}`;

/** Sends the probe after creating what it needs, because an earlier probe may have deleted it. */
async function responseTo(probe: Probe): Promise<Response> {
  const fact = { key: 'a/b', value: 'c', tags: ['t'] };
  for (let times = 0; times < 2; times++)
    await callAs(server, ADMIN, { method: 'POST', path: '/api/v1/memory/store', body: fact });
  if (probe.path.endsWith('/disagreements')) await disagreement();
  if (probe.path.endsWith('/recalls'))
    await callAs(server, ADMIN, { method: 'GET', path: '/api/v1/memory/search?q=c' });
  let path = probe.path.replace('TOKEN', jti);
  if (path.includes('SESSION'))
    path = path.replace('SESSION', (await create('/api/v1/sessions', {})).session_id!);
  if (path.includes('JOB'))
    path = path.replace('JOB', (await create('/api/v1/packs/test.later', {})).job_id!);
  if (path.includes('PROPOSAL')) path = path.replace('PROPOSAL', await proposal());
  if (path.endsWith('/inbox')) await proposal();
  if (path.includes('DISAGREEMENT')) path = path.replace('DISAGREEMENT', await disagreement());
  if (/PIPELINE|RUN/.test(path)) {
    const { pipeline, run } = await startedRun(path.endsWith('/resume'));
    path = path.replace('PIPELINE', pipeline).replace('RUN', run);
  }
  if (path.includes('SPACE'))
    path = path.replace('SPACE', (await create('/api/v1/spaces', { slug: newSlug() })).slug!);
  if (path.includes('CANDIDATE'))
    path = path.replace('CANDIDATE', await candidate(path.endsWith('/promote')));
  if (path.endsWith('/from-runs')) {
    const runs = await keptAndUsed('artifact.get');
    return callAs(server, ADMIN, { ...probe, body: { runs } });
  }
  if (path.endsWith('/promote') && path.includes('/facts/')) {
    const { slug } = await create('/api/v1/spaces', { slug: newSlug() });
    return callAs(server, ADMIN, { ...probe, body: { space: slug } });
  }
  if (path.includes('USER')) path = path.replace('USER', (await invitedUser()).id);
  if (path.includes('/auth/invitation')) {
    const { invitation } = await invitedUser();
    return callAs(server, ADMIN, { ...probe, body: { ...(probe.body as object), invitation } });
  }
  if (path.endsWith('/auth/password')) return callAs(server, await signedInUser(), probe);
  const body = path.endsWith('/redeem')
    ? { code: (await create('/api/v1/connect-codes', {})).code }
    : probe.body;
  return callAs(server, ADMIN, { ...probe, path, body });
}

/** Only the response to a repeated request has it. */
const isSent = (header: string) => header !== 'Idempotent-Replayed';
const NAMED_PROBES = PROBES.map((probe) => [routeName(probe.route), probe] as const);

describe('documented schemas', () => {
  it.each(NAMED_PROBES)('the response of %s matches its documented schema', async (_name, probe) => {
    const { response, event, responseType = 'application/json' } = probe.route;
    const answer = await responseTo(probe);
    expect(answer.status).toBe(probe.route.status ?? 200);
    expect(answer.headers.get('content-type')).toContain(responseType);
    const headers = Object.keys(RESPONSE_HEADERS).filter((name) => answer.headers.has(name));
    expect(headers.sort()).toEqual(
      ['X-Request-Id', ...(probe.route.responseHeaders ?? [])].filter(isSent).sort(),
    );
    if (!response) {
      expect(responseType, 'JSON has a schema').not.toBe('application/json');
      expect(event !== undefined, 'a stream has a schema of its events').toBe(
        responseType === 'text/event-stream',
      );
      await answer.body?.cancel();
      return;
    }
    const text = await answer.text();
    const documents = responseType === 'application/x-ndjson' ? text.trimEnd().split('\n') : [text];
    for (const document of documents) response.parse(JSON.parse(document));
  });

  it('the responses to an erasure, a batch with errors and an import with errors match their schemas', async () => {
    const schemaOf = (name: string) =>
      PROBES.find((probe) => routeName(probe.route) === name)!.route.response!;
    const check = async (name: string, body: unknown, headers?: Record<string, string>) => {
      const [method = '', path = ''] = name.split(' ');
      const answer = await callAs(server, ADMIN, { method, path, body, headers });
      expect(answer.status).toBe(200);
      schemaOf(name).parse(await answer.json());
    };
    await check('POST /api/v1/memory/store/batch', { facts: [{}, { key: 'a', value: 'b' }] });
    await check('POST /api/v1/memory/import', 'nonsense\n{"key":"x","value":"y"}', {
      'content-type': 'application/x-ndjson',
    });
    await check('POST /api/v1/memory/forget', { scope: 'erase' });
    await check('POST /api/v1/memory/forget', { scope: 'all' });
  });

  it('the events of a pipeline run match their documented schema', async () => {
    const { run } = await startedRun(true);
    const path = `/api/v1/pipelines/runs/${run}/events`;
    const text = await (await callAs(server, ADMIN, { method: 'GET', path })).text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => runEvent.parse(JSON.parse(data!)));
    expect(events.map(({ type }) => type)).toEqual(['step', 'run']);
  });

  it('the documented schema of every route accepts a valid request body', () => {
    for (const { route, body } of PROBES) {
      if (!route.body || route.bodyType) continue;
      expect(() => route.body!.parse(body), routeName(route)).not.toThrow();
    }
  });
});
