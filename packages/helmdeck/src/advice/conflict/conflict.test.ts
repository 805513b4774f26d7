import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse, type Conflict, findConflict, type Statement, similarity } from './conflict.ts';

interface Pair {
  /** The kind of conflict, or `none`. */
  label: string;
  /** For pairs without a conflict: why there is none. */
  family?: string;
  /** Rules are tuned on `train`; `test` is for measuring only. */
  split: 'train' | 'test';
  a: { key: string; value: string; tags?: string[] };
  b: { key: string; value: string; tags?: string[] };
}

const PAIRS = JSON.parse(readFileSync(new URL('./pairs.json', import.meta.url), 'utf8')) as Pair[];

const compare = (a: Pair['a'], b: Pair['a']): Conflict | undefined =>
  findConflict(analyse({ tags: [], ...a }), analyse({ tags: [], ...b }));
const between = (mine: string, theirs: string, keys: [string, string] = ['a/x', 'b/y']) =>
  compare({ key: keys[0], value: mine }, { key: keys[1], value: theirs });

function figures(pairs: readonly Pair[]): { precision: number; recall: number } {
  const flagged = pairs.filter(({ a, b }) => compare(a, b));
  const right = flagged.filter(({ label }) => label !== 'none').length;
  const all = pairs.filter(({ label }) => label !== 'none').length;
  return { precision: right / flagged.length, recall: right / all };
}

describe('findConflict on the labelled pairs', () => {
  const heldOut = PAIRS.filter(({ split }) => split === 'test');

  it('about half of the pairs are conflicts, and a third is held out', () => {
    expect(PAIRS.length).toBeGreaterThanOrEqual(120);
    expect(heldOut.length).toBe(Math.floor(PAIRS.length / 3));
    const conflicts = PAIRS.filter(({ label }) => label !== 'none').length;
    expect(conflicts / PAIRS.length).toBeGreaterThan(0.4);
    expect(conflicts / PAIRS.length).toBeLessThan(0.6);
  });

  it.each([
    ['all', PAIRS],
    ['held out', heldOut],
  ] as const)('conflicts are found with precision ≥ .95 and recall ≥ .85: %s', (_, pairs) => {
    const { precision, recall } = figures(pairs);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.85);
  });

  it('a conflict is found whichever statement is the incoming one', () => {
    for (const { a, b } of PAIRS) expect([b.value, !!compare(b, a)]).toEqual([b.value, !!compare(a, b)]);
  });

  it('more than 95 percent of the conflicts found have the right kind', () => {
    const found = PAIRS.filter(({ label }) => label !== 'none').flatMap(({ label, a, b }) => {
      const conflict = compare(a, b);
      return conflict ? [conflict.kind === label] : [];
    });
    expect(found.filter(Boolean).length / found.length).toBeGreaterThan(0.95);
  });
});

describe('findConflict reports a conflict', () => {
  it.each([
    ['number', 'staging has 3 replicas', 'staging has 5 replicas', '3', '5'],
    ['number', 'job timeout is 5 min', 'job timeout is 10 min', '5 min', '10 min'],
    ['number', 'I live at house number 5', 'I live at house number 7', '5', '7'],
    ['date', 'retro is on Tuesday', 'retro is on Thursday', 'Tuesday', 'Thursday'],
    ['date', 'standup is at 10:00', 'standup is at 9:30 am', '10:00', '9:30 am'],
    ['date', 'the wedding is on 2026-05-03', 'the wedding is on May 4, 2026', '2026-05-03', 'May 4, 2026'],
    ['date', 'I work 07:30-15:30', 'I work 09:00-15:30', '07:30', '09:00'],
    [
      'polarity',
      'always deploy via Konflux',
      'never deploy via Konflux',
      'always deploy via Konflux',
      'never deploy',
    ],
    ['polarity', 'the beta is enabled', 'the beta is disabled', 'the beta is enabled', 'disabled'],
    ['choice', 'frontend framework is React', 'frontend framework is Vue', 'React', 'Vue'],
    ['choice', 'use tabs', 'use spaces', 'tabs', 'spaces'],
    ['choice', 'prefers dark mode', 'prefers light mode', 'dark', 'light'],
    ['choice', 'my manager is Tomasz', 'my manager is Dana', 'Tomasz', 'Dana'],
    ['choice', 'Tomasz is my manager', 'my manager is Dana', 'Tomasz', 'Dana'],
    ['choice', 'database is Postgres 16 on RDS', 'database is MySQL on RDS', 'Postgres', 'MySQL'],
    ['choice', 'React over Vue', 'Vue over React', 'React', 'Vue'],
    ['choice', 'DNS is in Cloudflare, not Route53', 'DNS is in Route53', 'Cloudflare', 'Route53'],
    ['choice', 'I live in Kraków', 'I live in Warsaw', 'Kraków', 'Warsaw'],
    ['choice', 'Jo lives in Hamburg', 'Jo moved to Munich', 'Hamburg', 'Munich'],
    ['choice', 'reports are approved by Julia', 'Kevin approves reports', 'Julia', 'Kevin'],
    ['choice', 'the owner of the app is Pavel', 'the app is owned by Yasmin', 'Pavel', 'Yasmin'],
    ['choice', 'our landlord is Mr. Novak', 'our landlord is Mrs. Keller', 'Novak', 'Keller'],
    ['choice', 'Sabine wohnt in Köln', 'Sabine wohnt jetzt in Leipzig', 'Köln', 'Leipzig'],
    ['date', 'der Kurs beginnt am 3. März', 'der Kurs beginnt am 10. März', '3 März', '10 März'],
    ['number', 'the deadline was moved to day 30', 'the deadline is day 20', '30', '20'],
    [
      'number',
      'meetings last at most 30 minutes',
      'meetings last at most 45 minutes',
      '30 minutes',
      '45 minutes',
    ],
    [
      'choice',
      'The export job reads all open invoices from the archive and writes them to the Dublin bucket every night',
      'The export job reads all open invoices from the archive and writes them to the Oslo bucket every night',
      'Dublin',
      'Oslo',
    ],
  ])('findConflict reports a conflict of kind %s: "%s" and "%s"', (kind, a, b, mine, theirs) => {
    expect(between(a, b)).toEqual({ kind, mine, theirs });
    expect(between(b, a)).toEqual({ kind, mine: theirs, theirs: mine });
  });

  it('the key says what a short value is about', () => {
    expect(between('Neovim', 'VS Code', ['preferences/editor', 'preferences/default-editor'])?.kind).toBe(
      'choice',
    );
    expect(between('3', '5', ['staging/replicas', 'staging/replica-count'])?.kind).toBe('number');
    expect(between('3', '5', ['env/staging/replicas', 'env/prod/replicas'])).toBeUndefined();
    expect(between('Neovim', 'zsh', ['preferences/editor', 'preferences/shell'])).toBeUndefined();
  });

  it('a conflict shows at most 80 characters of each side', () => {
    const long = `${'x'.repeat(200)}.example`;
    const conflict = between(`the registry url is ${long}`, 'the registry url is quay.io');
    expect(conflict?.mine).toHaveLength(80);
  });
});

describe('findConflict reports no conflict', () => {
  it.each([
    ['another subject', 'staging has 3 replicas', 'production has 5 replicas'],
    ['another subject', "Priya's birthday is 3 May", "Dana's birthday is 9 June"],
    ['another subject', 'sprint 12 ends on Friday', 'sprint 13 ends on Monday'],
    ['another of a series', 'Note number 1 about the trip', 'Note number 2 about the trip'],
    ['another of a series', 'This is note number 1', 'This is note number 2'],
    ['another of a series', 'Item 1 in the list', 'Item 2 in the list'],
    ['another of a series', 'Meeting number 3 with Tomasz', 'Meeting number 4 with Tomasz'],
    ['an addition', 'uses React', 'uses Tailwind for styling'],
    ['an addition', 'retro is on Tuesday', 'retro is on Tuesday at 10:00'],
    ['an addition', 'gym on Tuesday and Thursday', 'gym on Thursday'],
    ['the same in another order', 'gym on Tuesday and Thursday', 'gym on Thursday and Tuesday'],
    ['the same in another unit', 'job timeout is 5 min', 'job timeout is 300 s'],
    [
      'the same in another unit',
      'rate limit is 600 requests per minute',
      'rate limit is 10 requests per second',
    ],
    ['the same in another format', 'batch size is 1.5k rows', 'batch size is 1,500 rows'],
    ['the same in another format', 'standup is at 10:00', 'standup is at 10 am'],
    ['the same in another format', 'the wedding is on 2026-05-03', 'the wedding is on May 3, 2026'],
    ['the same in another spelling', 'database is Postgres on RDS', 'database is PostgreSQL on RDS'],
    ['a rephrasing', 'Docker Hub is blocked', 'Docker Hub is not allowed'],
    ['a rephrasing', 'my manager is Tomasz Kowalski', 'Tomasz is my manager'],
    ['history', 'used Angular in 2019, now uses React', 'uses React'],
    ['history', 'Ana used to live in Porto', 'Ana lives in Lisbon'],
    ['two events', 'ran 5 km on Monday', 'ran 8 km on Thursday'],
    ['a version elsewhere', 'the blog example targets Node 18', 'production runs Node 24'],
    ['history', 'Eva lived in Madrid until 2022', 'Eva lives in Porto'],
    ['a finer version', 'requires Python 3.12', 'requires Python 3.12.1'],
    ['a finer version', 'the project needs Node 22', 'the project needs Node 22.4'],
    ['the other side of a bound', 'trains for trips under 6 hours', 'flights for trips over 8 hours'],
    ['a bound', 'the cluster needs at least 3 nodes', 'the cluster needs 5 nodes'],
    ['an approximate number', 'the repo has about 200 tests', 'the repo has 210 tests'],
    ['a plan', 'the plan will cost $30', 'the plan costs $25'],
    ['a case', 'the timeout is 30 s', 'the timeout is 60 s for uploads'],
    ['another occasion', 'in 2023 revenue was 2 million', 'in 2024 revenue was 3 million'],
    ['another condition', 'retry 3 times if it returns 503', 'retry 5 times if it returns 429'],
    ['a limit', 'invoices are due in 14 days', 'invoices over 900 euros are due in 30 days'],
    ['one of several', 'Kim is a maintainer of the parser', 'Lou is a maintainer of the parser'],
    ['an interval and a duration', 'the job runs every 5 minutes', 'the job runs for 20 seconds'],
    ['shared words', 'wrap errors at the boundary', 'log errors once at the boundary'],
  ])('findConflict reports no conflict for %s: "%s" and "%s"', (_, a, b) => {
    expect(between(a, b)).toBeUndefined();
    expect(between(b, a)).toBeUndefined();
  });
});

describe('findConflict on a series', () => {
  it.each([
    ['log/17', 'build finished in 312 seconds', 'log/18', 'build finished in 287 seconds'],
    ['journal/2026-02-01', 'slept 6 hours', 'journal/2026-02-02', 'slept 8 hours'],
    ['weight/2026-01', 'weight is 82 kg', 'weight/2026-02', 'weight is 80 kg'],
    ['hosts/web-1 ip', '10.0.0.11', 'hosts/web-2 ip', '10.0.0.12'],
    ['team/alice/birthday', '3 May', 'team/bob/birthday', '9 June'],
    ['a/x', 'note 1: call Anna', 'b/y', 'note 2: call Ben'],
    ['a/x', 'step 3: wait 5 minutes', 'b/y', 'step 4: wait 9 minutes'],
    ['a/x', 'meeting 2026-04-01: 3 people came', 'b/y', 'meeting 2026-04-08: 5 people came'],
  ])('the facts "%s" = "%s" and "%s" = "%s" do not conflict', (keyA, a, keyB, b) => {
    expect(between(a, b, [keyA, keyB])).toBeUndefined();
    expect(between(b, a, [keyB, keyA])).toBeUndefined();
  });

  it('facts under numbered keys that are no series conflict', () => {
    expect(between('staging has 3 replicas', 'staging has 5 replicas', ['f1', 'f2'])?.kind).toBe('number');
  });
});

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
);
const sentences = fc
  .array(
    fc.constantFrom(
      ...'the staging production has is not never 3 5 1.5k replicas on Tuesday at 10:00 May 2026-05-03 React over Vue use prefers dark light owned by Dana enabled disabled , ; : ( - 30 min was in'.split(
        ' ',
      ),
    ),
    { maxLength: 14 },
  )
  .map((words) => words.join(' '));
const statements = fc.record({
  key: fc.oneof(texts, fc.constantFrom('a/b', 'people/dana', 'staging/replicas', 'preferences/theme')),
  value: fc.oneof(texts, sentences),
  tags: fc.array(texts, { maxLength: 3 }),
});

describe('findConflict on arbitrary statements', () => {
  it('comparison never throws, is symmetric, and finds no conflict of a statement with itself', () => {
    fc.assert(
      fc.property(statements, statements, (a: Statement, b: Statement) => {
        const [left, right] = [analyse(a), analyse(b)];
        expect(findConflict(left, analyse(a))).toBeUndefined();
        expect(!!findConflict(left, right)).toBe(!!findConflict(right, left));
        const alike = similarity(left, right);
        expect(alike).toBe(similarity(right, left));
        expect(alike).toBeGreaterThanOrEqual(0);
        expect(alike).toBeLessThanOrEqual(1);
        expect(similarity(left, analyse(a))).toBe(1);
      }),
      { numRuns: 3000 },
    );
  });

  it('statements that differ only in case, white space or punctuation do not conflict', () => {
    const word = fc.constantFrom(
      ...'the staging has is not never 3 replicas on Tuesday use React prefers dark owned by Dana don’t'.split(
        ' ',
      ),
    );
    const gap = fc.constantFrom(' ', '  ', '\n', ', ', '. ', '; ', ' (', ') ', '! ', ' — ');
    const change = fc.array(fc.tuple(word, gap, gap, fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(change, (parts) => {
        const plain = parts.map(([text, first]) => text + first).join('');
        const other = parts
          .map(([text, , second, loud]) => (loud ? text.toUpperCase() : text) + second)
          .join('');
        expect(between(plain, other)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('a very long statement is analysed up to a bound', () => {
    for (const unit of ['a', '1', 'a.', 'a-', '3 ', 'not ', "'", '1,', 'is on ', 'x 3; ', '\u0301', 'ﷺ']) {
      const value = unit.repeat(65_536 / unit.length);
      const [a, b] = [
        analyse({ key: 'k', value, tags: [] }),
        analyse({ key: 'l', value: `y 4 ${value}`, tags: [] }),
      ];
      findConflict(a, b);
      expect(a.parsed.clauses.length).toBeLessThanOrEqual(8);
      expect(a.terms.words.size).toBeLessThanOrEqual(320);
    }
  });
});

describe('similarity', () => {
  const of = (a: string, b: string, keys: [string, string] = ['a/x', 'b/y']) =>
    similarity(analyse({ key: keys[0], value: a, tags: [] }), analyse({ key: keys[1], value: b, tags: [] }));

  it('similarity is 1 for the same words, high for near duplicates, 0 without a common word', () => {
    expect(of('The staging cluster has 3 replicas.', 'the staging cluster has 3 replicas')).toBe(1);
    expect(
      of('staging cluster runs three replicas of the API', 'the staging cluster runs three API replicas'),
    ).toBeGreaterThan(0.5);
    expect(of('my manager is Tomasz', 'bread bakes at 230 °C')).toBe(0);
  });

  it.each([
    ['another order', 'Team Falcon owns the billing service', 'The billing service is owned by team Falcon'],
    ['synonyms', 'we bought a used car in March', 'in March we purchased a used car'],
    ['inflections', 'Nora mentors two junior devs', 'Nora is mentoring two junior developers'],
    [
      'filler',
      'please remember that the release train leaves every Thursday',
      'release train leaves every Thursday',
    ],
    ['another unit', 'sessions are cached in Redis for 15 minutes', 'we cache sessions in Redis for 900 s'],
  ])('similarity is at least 0.72 for %s: "%s" and "%s"', (_, a, b) => {
    expect(of(a, b)).toBeGreaterThanOrEqual(0.72);
    expect(of(a, b)).toBeLessThan(1);
    expect(of(b, a)).toBe(of(a, b));
  });

  it.each([
    ['another number', 'the API gateway listens on port 8080', 'the API gateway listens on port 9090'],
    [
      'another name',
      'the billing service is owned by team Falcon',
      'the billing service is owned by team Otter',
    ],
    ['another subject', 'Nora mentors two junior developers', 'Omar mentors two junior developers'],
    ['the opposite', 'telemetry is enabled by default', 'telemetry is disabled by default'],
    ['a counterpart', 'my mother lives in Leeds', 'my father lives in Leeds'],
  ])('similarity is below 0.72 for %s: "%s" and "%s"', (_, a, b) => {
    expect(of(a, b)).toBeLessThan(0.72);
    expect(of(b, a)).toBe(of(a, b));
  });

  it('similarity includes the keys of short values', () => {
    expect(of('yes', 'yes', ['flags/search', 'flags/export'])).toBeLessThan(0.7);
    expect(of('yes', 'yes', ['flags/search', 'flags/search'])).toBe(1);
    expect(of('👍', '👎', ['flags/search', 'flags/search'])).toBeLessThan(1);
  });

  it('similarity is below 1 for long texts that only begin alike', () => {
    const head = 'the same words again and again '.repeat(400);
    expect(of(`${head} one`, `${head} two`)).toBeLessThan(1);
    expect(of(head, head)).toBe(1);
  });
});
