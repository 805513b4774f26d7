import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open } from '../memory/crypto/sealed.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';

const clock = fakeClock();
let server: TestServer;
beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterEach(() => server.close());

interface Listed {
  id: string;
  kind: string;
  found_at: string;
  facts: { key: string; value: string; version: number; says: string }[];
}

async function call<T>(method: string, path: string, body?: unknown, subject = 'ada'): Promise<T> {
  const response = await server.call(subject, method, `/api/v1/memory${path}`, body);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}
const store = (key: string, value: string) => call('POST', '/store', { key, value });
const list = async (subject?: string) =>
  (await call<{ disagreements: Listed[] }>('GET', '/disagreements', undefined, subject)).disagreements;
const settle = (id: string) => call('POST', `/disagreements/${id}/settle`);

/** Two agents that do not agree on the number of replicas. */
async function disagree() {
  await store('infra/cluster', 'Staging has 3 replicas.');
  clock.advance(60_000);
  await store('notes/today', 'Staging has 5 replicas.');
}

describe('disagreements', () => {
  it('two facts that contradict each other are listed with what each says, the newer one first', async () => {
    await disagree();
    expect(await list()).toEqual([
      {
        id: expect.stringMatching(/^[\w-]+$/),
        kind: 'number',
        found_at: new Date(clock.now()).toISOString(),
        facts: [
          expect.objectContaining({ key: 'notes/today', value: 'Staging has 5 replicas.', says: '5' }),
          expect.objectContaining({ key: 'infra/cluster', version: 1, says: '3' }),
        ],
      },
    ]);
    expect(await list('bob')).toEqual([]);
  });

  it('a disagreement is listed once, whichever of the two facts is stored again', async () => {
    await disagree();
    await store('infra/cluster', 'Staging has 4 replicas.');
    await store('notes/today', 'Staging has 6 replicas.');
    const listed = await list();
    expect(listed).toHaveLength(1);
    expect(listed[0]!.facts.map(({ says }) => says)).toEqual(['6', '4']);
  });

  it.each([
    ['the newer fact agrees', () => store('notes/today', 'Staging has 3 replicas.')],
    ['the older fact agrees', () => store('infra/cluster', 'Staging has 5 replicas.')],
    ['the newer fact is forgotten', () => call('DELETE', '/facts/notes%2Ftoday')],
    ['the older fact is forgotten', () => call('DELETE', '/facts/infra%2Fcluster')],
    ['all facts are forgotten', () => call('POST', '/forget', { scope: 'facts' })],
    ['both facts have expired', async () => clock.advance(91 * 86_400_000)],
  ])('a disagreement ends when %s', async (_, end) => {
    await disagree();
    await end();
    expect(await list()).toEqual([]);
  });

  it('a settled disagreement stays away until one of the facts changes', async () => {
    await disagree();
    const [{ id }] = (await list()) as [Listed];
    expect(await settle(id)).toEqual({ settled: true });
    expect(await list()).toEqual([]);
    await call('PATCH', '/facts/notes%2Ftoday', { tags: ['checked'] });
    expect(await list()).toEqual([]);
    await store('infra/cluster', 'Staging has 4 replicas.');
    expect(await list()).toMatchObject([{ id }]);
  });

  it('a settled disagreement is open again when one of its facts was forgotten and stored again', async () => {
    await disagree();
    const [{ id }] = (await list()) as [Listed];
    await settle(id);
    await call('DELETE', '/facts/infra%2Fcluster');
    clock.advance(60_000);
    await store('infra/cluster', 'Staging has 4 replicas.');
    expect(await list()).toMatchObject([{ facts: [{ says: '5' }, { says: '4' }] }]);
  });

  it('a disagreement stays when its newer fact is stored again among more facts than advice compares', async () => {
    await disagree();
    for (let number = 0; number < 20; number++)
      await store(`copies/of/${number}`, 'Staging has 5 replicas, and staging is a copy of production.');
    await store('notes/today', 'Staging has 5 replicas, and staging is a copy of production, as of today.');
    expect(await list()).toMatchObject([{ facts: [{ key: 'notes/today' }, { key: 'infra/cluster' }] }]);
  });

  it('a disagreement is listed after a restart, until one of its facts is changed', async () => {
    const env = {
      HELMDECK_RATE_LIMIT: 'off',
      HELMDECK_DB: join(mkdtempSync(join(tmpdir(), 'disagreements-')), 'kept.db'),
      HELMDECK_MEMORY_KEY: 'a'.repeat(64),
    };
    const restart = async () => {
      await server.close();
      server = await testServer({ now: clock.now, env });
    };
    await restart();
    await disagree();
    const before = await list();
    await restart();
    expect(await list()).toEqual(before);
    expect(before).toHaveLength(1);
    await store('infra/cluster', 'Staging has 5 replicas.');
    await restart();
    expect(await list()).toEqual([]);
  });

  it('a fact never disagrees with itself, nor with its copy under another key', async () => {
    await store('infra/cluster', 'Staging has 3 replicas.');
    await store('infra/cluster', 'Staging has 5 replicas.');
    await store('infra/copy', 'Staging has 5 replicas.');
    await store('infra/cluster', 'Staging has 5 replicas.');
    expect(await list()).toEqual([]);
  });

  it('a disagreement of another caller cannot be settled', async () => {
    await disagree();
    const [{ id }] = (await list()) as [Listed];
    const path = `/api/v1/memory/disagreements/${id}/settle`;
    expect((await server.call('bob', 'POST', path)).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });

  it.each(['x', 'AAAAAAAAAAAAAAAAAAAAAA', '%00'])(
    'to settle the unknown id "%s" is not_found',
    async (id) => {
      await disagree();
      const answer = await server.call('ada', 'POST', `/api/v1/memory/disagreements/${id}/settle`);
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'not_found' }]);
    },
  );

  it('a forgotten fact leaves neither its key nor its value in the store', async () => {
    await disagree();
    await call('DELETE', '/facts/infra%2Fcluster');
    const { directory, store: rows } = server.memory!.parts;
    const keys = (await directory.find({ subject: 'ada' }))!;
    const kept = await rows.scan(keys.ns, { kinds: ['disagreement'], limit: 10 });
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept.map((row) => open(keys, row)))).not.toMatch(/infra|replicas/);
  });
});
