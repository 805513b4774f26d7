import { describe, expect, it } from 'vitest';
import { viewHits } from './hit-view.ts';
import { createImage } from './image/image.ts';
import type { RecallKind } from './index/documents.ts';
import { CONFIDENT_BELIEF, type SearchRequest, searchImage } from './search.ts';

const THESAURUS = {
  neighbours: (stem: string) => (stem === 'vehicl' ? [{ stem: 'car', similarity: 0.8 }] : []),
};
const image = createImage();
let documents = 0;
function put(
  kind: RecallKind,
  content: object,
  times: { updatedMs?: number; expiresMs?: number } = {},
): void {
  const { updatedMs = 1, expiresMs = 100 } = times;
  const head = { kind, seq: ++documents, rev: 1, createdMs: 1, updatedMs, expiresMs };
  image.put(
    { ...head, id: Buffer.from(String(documents).padStart(16)) },
    Buffer.from(JSON.stringify(content)),
  );
}
put('fact', {
  key: 'deploy/billing',
  value: 'deploys via Konflux',
  tags: ['ci', 'on call'],
  category: 'infra',
});
put('fact', { key: 'deploy/web', value: 'deploys by hand', tags: ['ci'], category: 'web' }, { updatedMs: 2 });
put('fact', { key: 'car', value: 'the red car', category: 'infra' }, { expiresMs: 50 });
put('audit.pack', {
  key: 'run-1',
  value: JSON.stringify({
    pack: 'github.deploy',
    version: '2',
    outcome: 'ok',
    duration_ms: 12,
    learn_inputs: { repo: 'acme' },
  }),
});
put('audit.pipeline', {
  key: 'run-2',
  value: JSON.stringify({ pipeline: 'nightly-deploy', outcome: 'failed', run_id: 'r77' }),
});

const search = (text: string, request: Partial<SearchRequest> = {}, nowMs = 10) =>
  searchImage(image, { text, limit: 20, ...request }, THESAURUS, nowMs);
const keys = (text: string, request?: Partial<SearchRequest>, nowMs?: number) =>
  search(text, request, nowMs).hits.map(({ document }) => document.key);

describe('the preferred project', () => {
  const projects = createImage();
  const putIn = (at: number, content: object) =>
    projects.put(
      {
        kind: 'fact',
        seq: at,
        rev: 1,
        createdMs: 1,
        updatedMs: at,
        expiresMs: 100,
        id: Buffer.from(String(at).padStart(16)),
      },
      Buffer.from(JSON.stringify(content)),
    );
  putIn(1, { key: 'shop/deploy', value: 'deploys go to staging first', project: 'shop' });
  putIn(2, { key: 'bank/deploy', value: 'deploys go to staging first', project: 'bank' });
  putIn(3, { key: 'any/deploy', value: 'deploys go to staging first', tags: ['project bank', 'bank'] });
  for (let at = 4; at < 40; at++) putIn(at, { key: `other/${at}`, value: `a remark on staging ${at}` });
  const found = (text: string, preferredProject?: string) =>
    searchImage(projects, { text, limit: 5, explain: true, preferredProject }, THESAURUS, 10).hits;

  it('its facts come first among equals, and no other fact is hidden', () => {
    expect(found('where do deploys go', 'shop').map(({ document }) => document.key)).toEqual([
      'shop/deploy',
      'any/deploy',
      'bank/deploy',
    ]);
    expect(found('where do deploys go', 'bank')[0]!.document.key).toBe('bank/deploy');
    const scores = (project?: string) => found('where do deploys go', project).map(({ score }) => score);
    expect(scores('unknown')).toEqual(scores());
  });

  it('is named by explain, and makes no weak hit confident', () => {
    const [first, second] = found('where do deploys go', 'shop');
    expect(first!.why!.boosts.project).toBe('shop');
    expect(second!.why!.boosts.project).toBeUndefined();
    const [weak] = found('deploys zeppelin harbour captain umbrella lantern', 'shop');
    expect(weak!.document.key).toBe('shop/deploy');
    expect(weak!.confident).toBe(false);
  });
});

describe('filters', () => {
  it('a filter by category or tag matches the whole name exactly', () => {
    expect(keys('deploys', { category: 'web' })).toEqual(['deploy/web']);
    expect(keys('deploys', { tag: 'on call' })).toEqual(['deploy/billing']);
    expect(keys('deploys', { category: 'infra', tag: 'ci' })).toEqual(['deploy/billing']);
    for (const filter of [
      { category: 'Web' },
      { category: 'in' },
      { tag: 'call' },
      { tag: 'web' },
      { category: 'ci' },
    ])
      expect(keys('deploys', filter)).toEqual([]);
  });

  it('filters apply to an empty query as well', () => {
    expect(keys('', { tag: 'ci' })).toEqual(['deploy/web', 'deploy/billing']);
    expect(keys('', { category: 'nowhere' })).toEqual([]);
  });

  it('a search finds facts only, unless kinds asks for run records', () => {
    expect(keys('deploy').sort()).toEqual(['deploy/billing', 'deploy/web']);
    expect(keys('deploy', { kinds: ['audit.pack'] })).toEqual(['run-1']);
    expect(keys('acme', { kinds: ['fact', 'audit.pack', 'audit.pipeline'] })).toEqual(['run-1']);
    expect(keys('r77 failed', { kinds: ['audit.pipeline'] })).toEqual(['run-2']);
    const [run] = search('acme', { kinds: ['audit.pack'] }).hits;
    expect(run!.snippet().text).toContain('- repo: acme');
  });

  it('a document is not found from the millisecond it expires', () => {
    expect(keys('car', {}, 49)).toEqual(['car']);
    expect(keys('car', {}, 50)).toEqual([]);
    expect(keys('', {}, 50)).not.toContain('car');
  });

  it('a search returns at most `limit` hits', () => {
    expect(keys('deploys', { limit: 1 })).toHaveLength(1);
    expect(keys('', { limit: 1 })).toEqual(['deploy/web']);
  });
});

describe('abstained', () => {
  it('abstained is true when no hit is confident, or there is none', () => {
    expect(search('konflux')).toMatchObject({ abstained: false });
    expect(search('zeppelin')).toEqual({ hits: [], abstained: true });
    expect(search('deploys', { category: 'nowhere' })).toEqual({ hits: [], abstained: true });
    const weak = search('zeppelin airship harbour mast captain weather konflux');
    expect(weak.hits.map(({ score }) => score < CONFIDENT_BELIEF)).toEqual([true]);
    expect(weak.abstained).toBe(true);
  });

  it('a question about everything lists the newest facts instead of those that have "know"', () => {
    const asked = search('what do you know about me');
    expect(asked.abstained).toBe(false);
    expect(asked.hits.map(({ document }) => document.key)).toEqual(keys(''));
  });

  it('abstained is false for an empty query', () => expect(search('').abstained).toBe(false));
});

it('explain reports for each hit its matching words with spelling and field, the missing words and the boosts', () => {
  const [first] = search('deploys via konflus vehicle zeppelin', { explain: true }).hits;
  expect(first!.why).toMatchObject({
    terms: [
      { word: 'deploys', matched: 'deploy', via: 'word', fields: ['value', 'key'] },
      { word: 'via', matched: 'via', via: 'word', fields: ['value'] },
      { word: 'konflus', matched: 'konflux', via: 'spelling', weight: 0.8 },
    ],
    missing: ['vehicle', 'zeppelin'],
    boosts: { pairs: [['deploys', 'via']], subjects: ['deploys'] },
    lexical: first!.score,
  });
  const [car] = search('vehicle', { explain: true }).hits;
  expect(car!.why!.terms).toMatchObject([
    { word: 'vehicle', matched: 'car', via: 'meaning', fields: ['value', 'key'] },
  ]);
  expect(search('konflux').hits[0]).not.toHaveProperty('why');
  const [tagged] = search('call infra', { explain: true }).hits;
  expect(tagged!.why!.terms.map(({ fields }) => fields)).toEqual([['tags'], ['category']]);
});

describe('a query without usable words', () => {
  it.each(['   ', '\n\t', '\u00a0'])('a query of blanks (%j) returns the newest facts first', (text) => {
    expect(keys(text)).toEqual(['deploy/web', 'car', 'deploy/billing']);
  });

  it.each([
    '!!!',
    '.*',
    '(a+)+$'.replaceAll('a', '*'),
    '\0',
    '\u0007\u001b',
    '%',
    "' --",
    '"',
    '\\',
    '\ud800',
    'the',
    '*',
    '_',
  ])('the query %j finds nothing and abstains', (text) =>
    expect(search(text)).toEqual({ hits: [], abstained: true }),
  );

  it.each([
    'konflux\0',
    '\u0001konflux\u0002',
    'konflux.*',
    '^konflux$',
    '(konflux)',
    '"konflux"',
    "konflux'; DROP TABLE rows;--",
    '/konflux/i',
  ])('the query %j finds the word in it', (text) => expect(keys(text)).toEqual(['deploy/billing']));

  it('a query of 64 kB is searched by its first words', () => {
    expect(keys(`konflux ${'zeppelin '.repeat(7_200)}`)).toEqual(['deploy/billing']);
    expect(keys('x'.repeat(65_536))).toEqual([]);
    expect(keys('konflux '.repeat(8_192))).toEqual(['deploy/billing']);
    expect(keys('\u0301'.repeat(65_536))).toEqual([]);
  });
});

describe('snippets of long facts', () => {
  const sentence = 'Every release of the billing service goes out on Tuesday. ';

  it.each([5, 500, 1_000])('the snippet of a fact of 64 kB shows the match at sentence %i', (at) => {
    const value = Array.from({ length: 1_100 }, (_, number) =>
      number === at ? 'A zeppelin lands. ' : sentence,
    );
    const long = createImage();
    long.put(
      {
        kind: 'fact',
        seq: 1,
        rev: 1,
        createdMs: 1,
        updatedMs: 1,
        expiresMs: 100,
        id: Buffer.from('1'.padStart(16)),
      },
      Buffer.from(JSON.stringify({ key: 'long', value: value.join('') })),
    );
    const [hit] = searchImage(long, { text: 'zeppelin', limit: 1 }, THESAURUS, 10).hits;
    const { text, highlights } = hit!.snippet();
    expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['zeppelin']);
  });
});

it('viewing many hits yields to the event loop, so that other requests are served', async () => {
  const { hits } = search('deploys');
  let isServed = false;
  setImmediate(() => {
    isServed = true;
  });
  const served = await viewHits([...hits, ...hits, ...hits], () => {
    for (const untilMs = performance.now() + 4; performance.now() < untilMs; );
    return isServed;
  });
  expect(served.at(0)).toBe(false);
  expect(served.at(-1)).toBe(true);
});
