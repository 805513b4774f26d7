import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, type Who } from '../support/every-route.ts';
import { twoCallers } from '../support/two-callers.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

let runs = 0;
const get = (who: Who, path: string) => callAs(server, who, { method: 'GET', path: `/api/v1/memory${path}` });
const post = (who: Who, path: string, body: object) =>
  callAs(server, who, { method: 'POST', path: `/api/v1/memory${path}`, body });

/** Stores a fact of A with words that only A has, and words that B has as well. */
async function storeFactOf(a: Who) {
  const mark = `zebra${++runs}x`;
  const fact = {
    key: `${mark}key/staging`,
    value: `${mark}value: staging has 3 replicas`,
    tags: [`${mark}tag`],
    category: `${mark}category`,
  };
  expect((await post(a, '/store', fact)).status).toBe(200);
  expect(await (await get(a, `/search?q=${mark}value`)).text(), 'A finds it').toContain(fact.key);
  return { mark, fact };
}

describe('search and advice for two different callers', () => {
  it('a search finds nothing of another caller by any word, prefix, misspelling, filter or empty query', async () => {
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([a, b]) => {
        const { mark, fact } = await storeFactOf(a);
        await post(b, '/store', { key: 'own', value: 'my staging has 3 replicas' });
        const queries = [
          `q=${mark}value`, `q=${mark}`, `q=${mark.slice(0, -1)}`, `q=zebrx${runs}xvalue`, 'q=staging+replicas', '',
          `q=${encodeURIComponent(fact.key)}`, `category=${fact.category}`, `tag=${fact.tags[0]}`,
          `q=staging&explain=1&limit=100&kinds=fact,pack,pipeline`,
        ]; // biome-ignore format: a list
        for (const query of queries) {
          for (const path of [`/search?${query}`, `/facts?${query}`, `/facets?${query}`]) {
            const answer = await get(b, path);
            expect(answer.status).toBe(200);
            expect(await answer.text(), path).not.toContain(mark);
          }
          const caller = `caller=${encodeURIComponent(a.subject)}`;
          expect((await get(b, `/search?${query}&${caller}`)).status).toBe(403);
        }
        expect(await (await get(b, '/search?q=staging')).text(), "B finds B's own fact").toContain('"own"');
      }),
      { numRuns: 25 },
    );
  });

  it('the advice on a store reveals nothing of what another caller stored, recalled or forgot', async () => {
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([a, b]) => {
        const { mark, fact } = await storeFactOf(a);
        const forgotten = `${mark} was forgotten by its owner a moment ago`;
        await post(a, '/store', { key: 'gone', value: forgotten });
        await post(a, '/forget', { scope: 'key:gone' });
        await post(a, '/store', { key: 'next', value: 'something else' });
        await post(b, '/forget', { scope: 'facts' });
        for (const value of [fact.value, fact.value.replace(' 3 ', ' 5 '), forgotten]) {
          const answer = (await (await post(b, '/store', { key: `k${++runs}`, value })).json()) as object;
          expect(answer).not.toHaveProperty('echo');
          expect(JSON.stringify(answer)).not.toContain(fact.key);
          expect(JSON.stringify(answer)).not.toContain('"gone"');
        }
        const same = (await (await post(b, '/store', { key: fact.key, value: 'mine' })).json()) as object;
        expect(same).toMatchObject({ created: true, version: 1 });
        expect(same).not.toHaveProperty('conflicts');
      }),
      { numRuns: 25 },
    );
  });
});
