import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createImage, type Image } from '../image/image.ts';
import { searchImage } from '../search.ts';
import type { Thesaurus } from '../words/thesaurus.ts';
import { planQuery } from './query.ts';

interface Given {
  key?: string;
  value: string;
  tags?: string[];
  category?: string;
  updatedMs?: number;
}
const NO_THESAURUS: Thesaurus = { neighbours: () => [] };
const near = (row: Record<string, [string, number][]>): Thesaurus => ({
  neighbours: (wanted) => (row[wanted] ?? []).map(([stem, similarity]) => ({ stem, similarity })),
});

function imageOf(facts: readonly Given[]): Image {
  const image = createImage();
  for (const [at, { key = `k${at}`, updatedMs = 1, tags = [], category = 'c', value }] of facts.entries()) {
    const head = { kind: 'fact' as const, seq: at + 1, rev: 1, createdMs: 1, updatedMs, expiresMs: 99 };
    const content = Buffer.from(JSON.stringify({ key, value, tags, category }));
    image.put({ ...head, id: Buffer.from(String(at).padStart(16)) }, content);
  }
  return image;
}
function search(facts: readonly Given[], text: string, thesaurus = NO_THESAURUS, limit = 100) {
  const { hits } = searchImage(imageOf(facts), { text, limit, explain: true }, thesaurus, 10);
  return hits.map(({ document, score, why }) => ({ key: document.key, score, why: why! }));
}
const keys = (facts: readonly Given[], text: string, thesaurus?: Thesaurus) =>
  search(facts, text, thesaurus).map(({ key }) => key);
const FILLER: Given[] = Array.from({ length: 20 }, (_, at) => ({
  key: `filler${at}`,
  value: `nothing here ${at}`,
}));
const scoreOf = (fact: Given, text: string, thesaurus?: Thesaurus) =>
  search([fact, ...FILLER], text, thesaurus)[0]?.score ?? 0;

describe('the order of hits', () => {
  it('hits are ordered by score, then newest, then key, whatever order the facts were stored in', () => {
    const facts: Given[] = [
      { key: 'b', value: 'deploy', updatedMs: 1 },
      { key: 'a', value: 'deploy', updatedMs: 1 },
      { key: 'c', value: 'deploy', updatedMs: 2 },
      { key: 'd', value: 'deploy deploy', updatedMs: 1 },
      { key: 'é', value: 'deploy', updatedMs: 1 },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(facts, { minLength: facts.length }), (shuffled) => {
        expect(keys(shuffled, 'deploy')).toEqual(['d', 'c', 'a', 'b', 'é']);
      }),
    );
  });

  it('of a thousand equal scores the first by key are shown', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `n${String(at).padStart(4, '0')}`);
    const facts = [...names].reverse().map((key) => ({ key, value: 'the same words' }));
    expect(search(facts, 'same words', NO_THESAURUS, 5).map(({ key }) => key)).toEqual(names.slice(0, 5));
  });

  it('an empty query lists the newest first, then by key', () => {
    const facts = [
      { key: 'b', value: 'x', updatedMs: 1 },
      { key: 'a', value: 'x', updatedMs: 1 },
      { key: 'z', value: 'x', updatedMs: 3 },
    ];
    expect(keys(facts, '')).toEqual(['z', 'a', 'b']);
  });
});

describe('a score', () => {
  const word = fc.constantFrom(
    'deploy',
    'konflux',
    'billing',
    'on-call',
    'thing',
    'the',
    'deplyo',
    'zz',
    'k1',
  );
  const phrase = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
  it('the score of every hit is above 0 and at most 1', () => {
    fc.assert(
      fc.property(fc.array(phrase, { minLength: 1, maxLength: 12 }), phrase, (values, text) => {
        for (const { score } of search(
          values.map((value) => ({ value })),
          text,
        )) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('more matching words raise the score, and words in key or tags count more than in the value', () => {
    const text = 'konflux deploy';
    const alone = scoreOf({ key: 'x', value: 'konflux' }, text);
    expect(scoreOf({ key: 'x', value: 'konflux helps, then we deploy' }, text)).toBeGreaterThan(alone);
    expect(scoreOf({ key: 'konflux', value: 'x' }, text)).toBeGreaterThan(alone);
    expect(scoreOf({ key: 'x', value: 'x', tags: ['konflux'] }, text)).toBeGreaterThan(alone);
    const category = scoreOf({ key: 'x', value: 'x', category: 'konflux' }, text);
    expect(category).toBeGreaterThan(0);
    expect(category).toBeLessThan(alone);
  });

  it('adjacent query words that are adjacent in the fact raise its score', () => {
    const [beside] = search(
      [{ value: 'the blue whale sings loud' }, { value: 'the whale sings loud blue' }],
      'blue whale',
    );
    expect(beside).toMatchObject({ key: 'k0', why: { boosts: { pairs: [['blue', 'whale']] } } });
    const [first, second] = search(
      [{ value: 'the blue whale sings loud' }, { value: 'the whale sings loud blue' }],
      'blue whale',
    );
    expect(first!.score).toBeGreaterThan(second!.score);
    expect(second!.why.boosts.pairs).toEqual([]);
  });

  it('a query word in the key raises the score, however common the word is', () => {
    const facts = Array.from({ length: 10 }, (_, at) => ({ key: `ada/${at}`, value: `likes ada ${at}` }));
    const [first] = search([...facts, { key: 'other', value: 'likes ada ada ada' }], 'ada likes');
    expect(first!.key).toMatch(/^ada/);
    expect(first!.why.boosts.subjects).toEqual(['ada']);
  });

  it('a match in a longer text scores lower', () => {
    const [first] = search(
      [{ value: `deploy ${'other words '.repeat(50)}` }, { value: 'deploy soon' }],
      'deploy',
    );
    expect(first!.key).toBe('k1');
  });

  it('of the alternatives of a word only the best counts', () => {
    const thesaurus = near({
      ship: [
        ['deploy', 0.9],
        ['releas', 0.8],
        ['rollout', 0.7],
      ],
    });
    const one = scoreOf({ key: 'x', value: 'deploy it' }, 'ship', thesaurus);
    const all = scoreOf({ key: 'x', value: 'deploy release rollout' }, 'ship', thesaurus);
    expect(one).toBeGreaterThan(0);
    expect(all).toBeLessThanOrEqual(one);
    const itself = scoreOf({ key: 'x', value: 'ship it' }, 'ship', thesaurus);
    expect(itself).toBeGreaterThan(one);
    expect(scoreOf({ key: 'x', value: 'ship deploy release' }, 'ship', thesaurus)).toBeLessThanOrEqual(
      itself,
    );
  });
});

describe('stop words and generic words', () => {
  it('stop words match only in a query or fact that has nothing else', () => {
    const facts = [{ value: 'what about the cat' }, { value: 'to be or not to be' }];
    expect(keys(facts, 'what about the dog')).toEqual([]);
    expect(keys(facts, 'to be or not to be')).toEqual(['k1']);
    expect(keys(facts, 'the')).toEqual([]);
    expect(keys([{ key: 'the/who', value: 'a band' }], 'the who')).toEqual(['the/who']);
  });

  it('generic words have half the idf', () => {
    const { terms } = planQuery(
      'remember konflux',
      imageOf([{ value: 'remember konflux' }, ...FILLER]).index,
      NO_THESAURUS,
    );
    expect(terms.map(({ word }) => word)).toEqual(['remember', 'konflux']);
    expect(terms[0]!.idf).toBeCloseTo(terms[1]!.idf / 2);
    expect(terms[0]!.alternatives[0]!.idf).toBeCloseTo(terms[1]!.alternatives[0]!.idf / 2);
  });

  it('in a vague question the specific words decide', () => {
    const facts = [
      { value: 'a thing about something we mentioned' },
      { value: 'deploys go through Konflux' },
      ...FILLER,
    ];
    expect(keys(facts, 'what was that thing about Konflux deploys?')[0]).toBe('k1');
  });
});

describe('query expansion', () => {
  const via = (facts: readonly Given[], text: string, thesaurus?: Thesaurus) =>
    search(facts, text, thesaurus).map(({ key, why }) => [
      key,
      ...why.terms.map((term) => `${term.via} ${term.matched}`),
    ]);

  it('an unknown word matches by prefix, and by spelling only if no term has that prefix', () => {
    const facts = [{ value: 'kubernetes' }, { value: 'konflux' }, { value: 'kubrick' }];
    expect(via(facts, 'kube')).toEqual([['k0', 'prefix kubernet']]);
    expect(via(facts, 'knoflux')).toEqual([['k1', 'spelling konflux']]);
    expect(via(facts, 'kubernetse')).toEqual([['k0', 'spelling kubernet']]);
  });

  it('a match by prefix or spelling scores lower than the word itself', () => {
    expect(scoreOf({ key: 'x', value: 'konflux' }, 'konflx')).toBeLessThan(
      scoreOf({ key: 'x', value: 'konflux' }, 'konflux'),
    );
    expect(scoreOf({ key: 'x', value: 'konflux' }, 'konf')).toBeLessThan(
      scoreOf({ key: 'x', value: 'konflux' }, 'konflux'),
    );
  });

  it('a word that some fact has is not expanded by prefix or spelling', () => {
    const facts = [{ value: 'the cart' }, { value: 'the card' }, { value: 'the cartoon' }];
    expect(keys(facts, 'card')).toEqual(['k1']);
    expect(keys(facts, 'cart')).toEqual(['k0']);
  });

  it.each(['zqx', '1234', 'xyzzyplugh'])('%s is similar to no term and finds nothing', (text) => {
    expect(keys([{ value: 'cat 1235 zqy' }, ...FILLER], text)).toEqual([]);
  });

  it('a misspelling may have two edits in a long word, one in a short one', () => {
    const facts = [{ value: 'kubernetes' }, { value: 'helm' }];
    expect(keys(facts, 'kuvermetes')).toEqual(['k0']);
    expect(keys(facts, 'kuvermetws')).toEqual([]);
    expect(keys(facts, 'hexn')).toEqual([]);
  });

  it('a synonym matches, with an idf of at most that of the query word', () => {
    const thesaurus = near({
      car: [
        ['automobil', 0.9],
        ['boat', 0.4],
      ],
    });
    expect(keys([{ value: 'an automobile' }, { value: 'a boat' }], 'car', thesaurus)).toEqual(['k0']);
    const facts = [
      { value: 'automobile' },
      ...FILLER,
      ...Array.from({ length: 9 }, () => ({ value: 'car' })),
    ];
    const { terms } = planQuery('car', imageOf(facts).index, thesaurus);
    const [own, other] = terms[0]!.alternatives;
    expect(other!.idf).toBeLessThanOrEqual(own!.idf);
  });
});

describe('compounds', () => {
  const facts = [{ value: 'the oncall rota' }, { value: 'the on-call rota' }];
  it.each(['on call', 'on-call', 'oncall', 'On Call', 'ONCALL'])(
    '%s finds the compound however it is written',
    (text) => {
      expect(keys([...facts, ...FILLER], text).sort()).toEqual(['k0', 'k1']);
    },
  );

  it('a compound in the query finds a fact that writes its parts apart or joined', () => {
    expect(keys([{ value: 'log in with SSO' }, ...FILLER], 'log-in')).toEqual(['k0']);
    expect(keys([{ value: 'the file system is full' }, ...FILLER], 'file-system')).toEqual(['k0']);
    expect(keys([{ value: 'set userId first' }, ...FILLER], 'user_id')).toEqual(['k0']);
    expect(keys([{ value: 'set userId first' }, ...FILLER], 'userid')).toEqual(['k0']);
    expect(keys([{ value: 'set userId first' }, ...FILLER], 'user id')).toEqual(['k0']);
  });
});

it('a single character of a script without spaces finds the bigrams that contain it', () => {
  const facts = [{ value: '猫が好き' }, { value: '黒猫' }, { value: '猫' }, { value: '犬が好き' }];
  expect(keys(facts, '猫').sort()).toEqual(['k0', 'k1', 'k2']);
  expect(search(facts, '猫')[0]!.key).toBe('k2');
  expect(keys(facts, '好き').sort()).toEqual(['k0', 'k3']);
});

it('a query is cut to its first 32 distinct words', () => {
  const { index } = imageOf([{ value: 'x' }]);
  const many = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ');
  expect(planQuery(many, index, NO_THESAURUS).terms).toHaveLength(32);
  expect(planQuery(`${'x '.repeat(3_000)} y`, index, NO_THESAURUS).terms).toHaveLength(1);
});
