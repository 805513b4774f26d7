import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { DEVELOPMENT_SHAPES, HELD_BACK_SHAPES, wrapped } from './prompt-shapes.ts';

// How often the right fact is said before an ordinary prompt, and nothing before an unrelated one. Deterministic: no
// model, no clock. Questions that share no word with their fact ("paraphrase") are counted by themselves: recall by words
// abstains on most of them, asked directly or not.

interface OpsFacts {
  facts: { key: string; value: string; tags: string[] }[];
  questions: { text: string; kind: 'vague' | 'paraphrase' | 'ident/typo'; key: string }[];
}

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const { facts, questions } = JSON.parse(read('opsfacts.json')) as OpsFacts;
const promptsIn = (name: string) =>
  read(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('\\n', '\n'));

/** Questions of every other fact are in the other half. */
const asked = (isHeldBack: boolean, isParaphrase: boolean) =>
  questions.filter(
    ({ kind, key }) =>
      (kind === 'paraphrase') === isParaphrase &&
      (facts.findIndex((fact) => fact.key === key) % 2 === 1) === isHeldBack,
  );

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ env: { HELMDECK_RATE_LIMIT: 'off' } });
  const answer = await server.call('ops', 'POST', '/api/v1/memory/store/batch', { facts });
  expect(JSON.stringify(await answer.json())).not.toContain('"error"');
});
afterAll(() => server.close());

async function keysSaid(prompt: string): Promise<string[]> {
  const answer = await server.call('ops', 'POST', '/api/v1/memory/prompt-notes', { prompt });
  const { notes } = (await answer.json()) as { notes: { key: string }[] };
  return notes.map(({ key }) => key);
}

async function shareWithRightFact(
  shapes: Record<string, string>,
  { isHeldBack, isParaphrase = false }: { isHeldBack: boolean; isParaphrase?: boolean },
) {
  let right = 0;
  let all = 0;
  let others = 0;
  for (const shape of Object.values(shapes))
    for (const { text, key } of asked(isHeldBack, isParaphrase)) {
      const said = await keysSaid(wrapped(shape, text));
      all++;
      if (said.includes(key)) right++;
      others += said.filter((each) => each !== key).length;
    }
  return { right: right / all, othersPerPrompt: others / all };
}

async function shareSilent(prompts: readonly string[]): Promise<number> {
  let silent = 0;
  for (const prompt of prompts) if ((await keysSaid(prompt)).length === 0) silent++;
  return silent / prompts.length;
}

describe('notes before ordinary prompts', () => {
  it('a question to the memory inside twelve shapes of prompts gets the right fact, and little else', async () => {
    const { right, othersPerPrompt } = await shareWithRightFact(DEVELOPMENT_SHAPES, { isHeldBack: false });
    expect(right).toBeGreaterThanOrEqual(0.95);
    expect(othersPerPrompt).toBeLessThanOrEqual(0.55);
  });

  it('an unrelated prompt gets nothing', async () => {
    expect(await shareSilent(promptsIn('unrelated-development.txt'))).toBeGreaterThanOrEqual(0.97);
  });

  it('a question in other words than its fact often gets it among at most five, where the question is local', async () => {
    const isParaphrase = true;
    const development = await shareWithRightFact(DEVELOPMENT_SHAPES, { isHeldBack: false, isParaphrase });
    expect(development.right).toBeGreaterThanOrEqual(0.38);
    expect(development.othersPerPrompt).toBeLessThanOrEqual(2.3);
    const heldBack = await shareWithRightFact(HELD_BACK_SHAPES, { isHeldBack: true, isParaphrase });
    expect(heldBack.right).toBeGreaterThanOrEqual(0.33);
  });

  it('most unrelated questions get nothing that are as local as those to the memory', async () => {
    expect(await shareSilent(promptsIn('unrelated-local-questions.txt'))).toBeGreaterThanOrEqual(0.8);
  });

  it('other questions, shapes and unrelated prompts meet the aims, too', async () => {
    expect((await shareWithRightFact(HELD_BACK_SHAPES, { isHeldBack: true })).right).toBeGreaterThanOrEqual(
      0.9,
    );
    expect(await shareSilent(promptsIn('unrelated-held-back.txt'))).toBeGreaterThanOrEqual(0.95);
  });
});
