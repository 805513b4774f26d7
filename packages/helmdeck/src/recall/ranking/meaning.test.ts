import { expect, it } from 'vitest';
import { createImage } from '../image/image.ts';
import { searchImage } from '../search.ts';
import { openWordbook } from '../words/wordbook.ts';

const NOW_MS = Date.UTC(2026, 10, 18);
const DAY_MS = 86_400_000;

function answer(facts: [key: string, value: string, daysAgo?: number][], text: string) {
  const image = createImage();
  for (const [at, [key, value, daysAgo = 0]] of facts.entries()) {
    const timeMs = NOW_MS - daysAgo * DAY_MS;
    const row = { kind: 'fact' as const, seq: at + 1, rev: 1, createdMs: timeMs, updatedMs: timeMs };
    const content = Buffer.from(JSON.stringify({ key, value, tags: [], category: 'c' }));
    image.put({ ...row, expiresMs: 2 * NOW_MS, id: Buffer.from(String(at).padStart(16)) }, content);
  }
  return searchImage(image, { text, limit: 10, explain: true }, openWordbook(), NOW_MS);
}
const keys = (...args: Parameters<typeof answer>) => answer(...args).hits.map(({ document }) => document.key);

it('a fact about the same is found without a word of the question, an unrelated one is not', () => {
  const facts: [string, string][] = [
    ['a', 'The doctor prescribed antibiotics'],
    ['b', 'Invoices are stored as integer cents'],
  ];
  expect(keys(facts, 'physician medication')).toEqual(['a']);
});

it('the question decides in a prompt with other sentences, code and a log', () => {
  const prompt =
    '2026-11-02T10:14:03Z ERROR spinner timed out\n```\nconst spinner = 1;\n```\nPlease add a spinner to the basket page. Where does the billing team meet?';
  const facts: [string, string][] = [
    ['spinner', 'The basket page has a spinner'],
    ['meet', 'The billing team meets in room Ada'],
  ];
  expect(keys(facts, prompt)[0]).toBe('meet');
});

it('of two facts alike the one from the time that the question names comes first, and says so', () => {
  const facts: [string, string, number][] = [
    ['old', 'We decided to move the office', 40],
    ['week', 'We decided to move the office', 8],
    ['new', 'We decided to move the office', 0],
  ];
  const { hits } = answer(facts, 'what did we decide last week about the office');
  expect(hits[0]!.document.key).toBe('week');
  expect(hits[0]!.why!.sentence).toContain('from the time that the question names');
});

const at = (hits: ReturnType<typeof answer>['hits'], key: string) =>
  hits.findIndex(({ document }) => document.key === key);

it('a fact that says itself when something was counts for that time, whenever it was stored', () => {
  const day = new Date(NOW_MS - 8 * DAY_MS).toISOString().slice(0, 10);
  const facts: [string, string, number][] = [
    ['told', `On ${day} the office got a new door`, 0],
    ['old', 'The office got a new door', 40],
    ['new', 'The office got a new door', 0],
  ];
  const { hits } = answer(facts, 'what did the office get last week');
  expect(hits[0]!.document.key).toBe('told');
  expect(hits[0]!.why!.sentence).not.toContain(' for ');
  expect(hits.at(-1)!.why!.missing).not.toContain(day);
  expect(hits[0]!.confident).toBe(true);
});

it('a question about what was before an event prefers facts from before the date of that event', () => {
  const facts: [string, string, number][] = [
    [
      'release',
      `The release of Orion was on ${new Date(NOW_MS - 20 * DAY_MS).toISOString().slice(0, 10)}`,
      30,
    ],
    ['before', 'We changed the login page', 25],
    ['after', 'We changed the login page', 5],
  ];
  const before = answer(facts, 'what did we change about the login page before the release of Orion').hits;
  expect(at(before, 'before')).toBeLessThan(at(before, 'after'));
  const after = answer(facts, 'what did we change about the login page after the release of Orion').hits;
  expect(at(after, 'after')).toBeLessThan(at(after, 'before'));
});

it('what was said next to a hit comes before the rest of its folder', () => {
  const facts: [string, string][] = [
    ['chat/s1/1', 'the train to Lyon was late'],
    ['chat/s1/2', 'Lyon again'],
    ['chat/s1/9', 'Lyon again'],
  ];
  expect(keys(facts, 'train Lyon')).toEqual(['chat/s1/1', 'chat/s1/2', 'chat/s1/9']);
});
