import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespaceOf } from '../../packages/helmdeck/src/memory/namespace.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import {
  callAs,
  everyRoute,
  PIPELINE,
  PROBED,
  routeName,
  textOf,
  type Who,
  withQuery,
} from '../support/every-route.ts';
import { TEST_PACKS } from '../support/test-packs.ts';
import { HOSTILE, TWINS, twoCallers } from '../support/two-callers.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({
    packs: TEST_PACKS,
    env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', HELMDECK_RATE_LIMIT: 'off' },
  });
});
afterAll(() => server.close());

const NAMING_HEADERS = (a: Who) => {
  const subject = encodeURIComponent(a.subject);
  return {
    'x-caller': subject,
    'x-subject': subject,
    'x-helmdeck-caller': subject,
    'x-helmdeck-tenant': encodeURIComponent(a.tenant ?? ''),
    'x-forwarded-user': subject,
    'x-remote-user': subject,
    'x-tenant': encodeURIComponent(a.tenant ?? ''),
  };
};

let runs = 0;

/** Creates something of every kind for A, with marks that must not reach another caller. */
async function createDataOf(a: Who) {
  const mark = `mark${++runs}m`;
  const marks = [`${mark}value`, `${mark}tag`, `${mark}category`, `${mark}client`, `${mark}token`];
  const [value, tag, category, client, tokenName] = marks as [string, string, string, string, string];
  const key = `${mark}key/%_`;
  const me = { ...a, client };
  const store = { method: 'POST', path: '/api/v1/memory/store', body: { key, value, tags: [tag], category } };
  for (let times = 0; times < 2; times++) expect((await callAs(server, me, store)).status).toBe(200);
  const minted = await callAs(server, me, {
    method: 'POST',
    path: '/api/v1/tokens',
    body: { name: tokenName },
  });
  const { jti } = (await minted.json()) as { jti: string };
  const run = async (pack: string, body: object) =>
    (await callAs(server, me, { method: 'POST', path: `/api/v1/packs/${pack}`, body })).json() as Promise<
      Record<string, string>
    >;
  const begun = await callAs(server, me, { method: 'POST', path: '/api/v1/sessions', body: {} });
  const { session_id } = (await begun.json()) as { session_id: string };
  await run('test.note', { key: `${mark}note`, value: `${mark}value` });
  await run('test.note', { key: `${mark}note`, value: `${mark}value`, _session_id: session_id });
  await run('test.cached', { title: `${mark}value` });
  const { job_id } = await run('test.later', { title: `${mark}value`, forMs: 0 });
  const post = async (path: string, body: object) =>
    (await callAs(server, me, { method: 'POST', path, body })).json() as Promise<Record<string, string>>;
  const { id: pipeline } = await post('/api/v1/pipelines', { ...PIPELINE, description: `${mark}value` });
  const { run_id } = await post(`/api/v1/pipelines/${pipeline}/run`, { inputs: { key } });
  await post('/api/v1/memory/store', {
    key: `${mark}/cluster`,
    value: 'Staging has 3 replicas.',
    tags: [tag],
  });
  await post('/api/v1/memory/store', { key: `${mark}/notes`, value: 'Staging has 5 replicas.', tags: [tag] });
  const get = async (path: string) => (await callAs(server, me, { method: 'GET', path })).json();
  await get(`/api/v1/memory/search?q=${mark}value`); // recorded in the recall log
  const { disagreements } = (await get('/api/v1/memory/disagreements')) as {
    disagreements: { id: string }[];
  };
  const disagreement = disagreements[0]!.id;
  const proposed = { key: `${mark}/proposed`, value: `${mark}value is proposed`, tags: [tag], propose: true };
  const { proposal_id: proposal } = (await post('/api/v1/memory/store', proposed)) as { proposal_id: string };
  const owned = {
    session: session_id,
    job: job_id!,
    pipeline: pipeline!,
    run: run_id!,
    disagreement,
    proposal,
  };
  await waitUntilWritten(me, [`jobs/${job_id}`, `pipelines/runs/${run_id}`]);
  return { key, marks, jti, tag, category, mark, owned };
}

/** Waits until jobs and runs are finished and written: a later case may draw the same caller, who would see their events. */
async function waitUntilWritten(who: Who, paths: string[]): Promise<void> {
  for (const path of paths) {
    const status = async () =>
      (
        (await (await callAs(server, who, { method: 'GET', path: `/api/v1/${path}` })).json()) as {
          status: string;
        }
      ).status;
    await expect.poll(status, { interval: 1 }).toBe('succeeded');
  }
  await server.memory!.parts.pending.drain();
}

const myFact = async (a: Who, key: string) =>
  (
    await callAs(server, a, { method: 'GET', path: `/api/v1/memory/facts/${encodeURIComponent(key)}` })
  ).text();

describe('isolation of callers', () => {
  it('the probes cover every route', () => {
    expect(PROBED.sort()).toEqual(ROUTES.map(routeName).sort());
  });

  it('two different callers never have the same namespace, nor the same id in the store', async () => {
    const { directory } = server.memory!.parts;
    const names = [...new Set([...HOSTILE, ...TWINS.flat()])];
    const all: Who[] = [undefined, ...names].flatMap((tenant) =>
      names.map((subject) => ({ subject, tenant })),
    );
    expect(new Set(all.map((each) => namespaceOf(each).toString('hex'))).size).toBe(all.length);
    const some = all.filter((_, index) => index % 37 === 0);
    const ids = await Promise.all(
      some.map(async (each) => (await directory.findOrCreate(each)).ns.toString('hex')),
    );
    expect(new Set(ids).size).toBe(some.length);
    fc.assert(
      fc.property(twoCallers, ([a, b]) => !namespaceOf(a).equals(namespaceOf(b))),
      { numRuns: 1000 },
    );
  });

  it('two callers with arbitrary names see nothing of each other on any route', async () => {
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([a, b]) => {
        const { key, marks, jti, tag, category, mark, owned } = await createDataOf(a);
        const before = await myFact(a, key);
        const caller = `caller=${encodeURIComponent(a.subject)}`;
        for (const probe of everyRoute(key, jti, owned)) {
          for (const query of ['', caller, `${caller}&subject=${mark}&tenant=${mark}&prefix=m`]) {
            const answer = await callAs(server, b, {
              ...probe,
              path: withQuery(probe.path, query),
              headers: { ...NAMING_HEADERS(a), ...probe.headers },
            });
            if (query !== '' && probe.route.takesCaller) expect(answer.status).toBe(403);
            if (probe.path.includes(encodeURIComponent(key)) && answer.status !== 403) {
              if (probe.method === 'DELETE') expect(await answer.clone().json()).toEqual({ deleted: 0 });
              else expect(answer.status).toBe(404);
            }
            const ownedPath = Object.values(owned).some((id) => probe.path.includes(id));
            const listsNothing = probe.path.endsWith('/runs') && query === '';
            if (listsNothing) expect(await answer.clone().json()).toEqual({ runs: [] });
            else if (ownedPath && answer.status !== 403 && probe.method !== 'DELETE')
              expect(answer.status, probe.path).toBe(404);
            const text = await textOf(answer);
            for (const each of [key, ...marks, ...Object.values(owned)])
              expect(text, `${routeName(probe.route)}${query}`).not.toContain(each);
            expect(answer.status).toBeLessThan(500);
          }
        }
        // The same calls with the same input return neither A's notes nor A's cached result.
        for (const [pack, body] of [
          ['test.note', { key: `${mark}note` }],
          ['test.cached', { title: `${mark}value` }],
        ] as const) {
          const path = `/api/v1/packs/${pack}`;
          const answer = (await (await callAs(server, b, { method: 'POST', path, body })).json()) as object;
          expect(answer).toMatchObject(
            pack === 'test.note' ? { output: { found: null } } : { cache: { status: 'miss' } },
          );
        }
        const inside = { key: `${mark}note`, _session_id: owned.session };
        const foreign = await callAs(server, b, {
          method: 'POST',
          path: '/api/v1/packs/test.note',
          body: inside,
        });
        expect(await foreign.json()).toMatchObject({ error: 'session_unavailable' });
        const forget = (body: object) =>
          callAs(server, b, { method: 'POST', path: '/api/v1/memory/forget', body });
        for (const scope of [
          'all',
          'cache',
          'erase',
          `key:${key}`,
          `prefix:${mark}`,
          `tag:${tag}`,
          `category:${category}`,
        ]) {
          expect((await forget({ scope, caller: a.subject })).status).toBe(403);
          expect((await forget({ scope })).status).toBe(200);
        }
        expect(await myFact(a, key), 'nothing that B did has changed it').toBe(before);
        const mine = { method: 'POST', path: '/api/v1/packs/test.cached', body: { title: `${mark}value` } };
        expect(await (await callAs(server, a, mine)).json()).toMatchObject({ cache: { status: 'hit' } });
        for (const path of [
          `/api/v1/sessions/${owned.session}`,
          `/api/v1/jobs/${owned.job}`,
          `/api/v1/pipelines/${owned.pipeline}/runs/${owned.run}`,
        ])
          expect((await callAs(server, a, { method: 'GET', path })).status, path).toBe(200);
      }),
      { numRuns: 25 },
    );
  });

  it('no field of a request lets a caller act in the namespace of another', async () => {
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([a, b]) => {
        const { key, jti } = await createDataOf(a);
        for (const field of ['caller', 'subject', 'sub', 'tenant', 'namespace', 'ns']) {
          const body = { key, value: 'forged', [field]: a.subject };
          const answer = await callAs(server, b, { method: 'POST', path: '/api/v1/memory/store', body });
          expect(await answer.json()).toMatchObject({ error: 'invalid_input', reason: 'unknown_field' });
        }
        const post = (body: object) => callAs(server, b, { method: 'POST', path: '/api/v1/tokens', body });
        const forOther = await post({ subject: a.subject, scopes: [] });
        expect(forOther.status).toBe(a.subject === b.subject ? 200 : 403);
        expect((await post({ scopes: ['admin'] })).status).toBe(403);
        expect((await post({ tenant: a.tenant ?? 'x' })).status).toBe(400);
        const revoke = await callAs(server, b, { method: 'DELETE', path: `/api/v1/tokens/${jti}` });
        // The same answer as for a token that does not exist, and no effect on the one that does.
        expect(await revoke.json()).toEqual({ revoked: true, known: false, tokens: 0 });
        const forAll = { subject: a.subject === b.subject ? 'someone' : a.subject };
        const revokeAll = { method: 'POST', path: '/api/v1/tokens/revoke', body: forAll };
        expect((await callAs(server, b, revokeAll)).status).toBe(403);
        const list = await (await callAs(server, a, { method: 'GET', path: '/api/v1/tokens' })).json();
        const untouched = expect.objectContaining({ jti, revoked_at: null });
        expect(list).toEqual({ tokens: expect.arrayContaining([untouched]) });
        expect(await myFact(a, key)).not.toContain('forged');
      }),
      { numRuns: 25 },
    );
  });

  it('the event stream has no events of another caller', async () => {
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([a, b]) => {
        const stream = await callAs(server, b, { method: 'GET', path: '/api/v1/memory/events' });
        const { mark } = await createDataOf(a);
        await callAs(server, a, { method: 'POST', path: '/api/v1/memory/forget', body: { scope: 'all' } });
        const own = { key: 'own-change', value: 'x' };
        await callAs(server, b, { method: 'POST', path: '/api/v1/memory/store', body: own });
        const reader = stream.body!.getReader();
        let received = '';
        while (!received.includes('own-change'))
          received += Buffer.from((await reader.read()).value!).toString('utf8');
        await reader.cancel();
        expect(received).not.toContain(mark);
        expect(received.match(/^event: /gm)).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  });

  it('tokens with an invalid subject or tenant are 401', async () => {
    for (const subject of ['', 'a\0', 'a\n', '\u007f', 'a\u0085', 'x'.repeat(257), `${'é'.repeat(128)}x`]) {
      for (const tenant of [undefined, 't']) {
        const answer = await callAs(
          server,
          { subject, tenant },
          { method: 'GET', path: '/api/v1/memory/facts' },
        );
        expect(answer.status, JSON.stringify(subject)).toBe(401);
        const bad = { subject: 'fine', tenant: subject };
        expect((await callAs(server, bad, { method: 'GET', path: '/api/v1/memory/facts' })).status).toBe(401);
      }
    }
  });
});
