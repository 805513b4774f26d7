import { expect, it } from 'vitest';
import { questionsOf } from './prompt-questions.ts';

const texts = (prompt: string) => questionsOf(prompt).map(({ text }) => text);

it('code, logs, stack traces and paths are not searched with', () => {
  const prompt = [
    'Why does this fail?',
    '```ts',
    'const database = connect(); // production',
    '```',
    '2026-11-02T10:14:05Z ERROR deploy failed',
    '    at Worker.flush (/app/lib/worker.js:88:5)',
    'TypeError: cannot read database of undefined: x',
    'src/deploy/worker.ts',
    'if (deploy) { run(); }',
    '+  const label = user.name;',
  ].join('\n');
  expect(texts(prompt)).toEqual(['Why does this fail?']);
});

it('a fence that is not closed hides the rest', () => {
  expect(texts('Look:\n```\nwhich database\n')).toEqual(['Look:']);
});

it('one line that looks like code is the question', () => {
  expect(texts('docs/adrs')).toEqual(['docs/adrs']);
});

it('a sentence is searched with as a whole and by its clauses', () => {
  expect(texts('While you look at the avatar, where is our terraform state?')).toEqual([
    'While you look at the avatar, where is our terraform state?',
    'While you look at the avatar',
    'where is our terraform state?',
  ]);
});

it('small talk and commands of the program ask nothing', () => {
  for (const prompt of ['', '  \n', 'ok', 'Yes please!', 'thanks a lot', 'go ahead', '/compact', '👍'])
    expect(texts(prompt), prompt).toEqual([]);
  expect(texts('/compact our deploy notes')).not.toEqual([]);
});

it('what speaks of the person is told from what asks for knowledge or work', () => {
  const [own] = questionsOf('Where do we keep our secrets?');
  expect(own).toMatchObject({ subject: 'own', isQuestion: true });
  for (const [prompt, subject] of [
    ['What is a mutex?', 'definition'],
    ['Explain how DNS works.', 'general'],
    ['Could you translate this?', 'general'],
    ['How do I exit vim?', 'world'],
    ['konflux deploys', 'unknown'],
  ])
    expect(questionsOf(prompt!)[0], prompt).toMatchObject({ subject });
});

it('of a very long prompt only a bounded number of short questions is left, and those at its end are among them', () => {
  const prompt = `${'The parser reads one token after the other, then stops. '.repeat(2_000)}Who is on call?`;
  const found = texts(`${Array.from({ length: 300 }, (_, at) => `Line ${at} of it.`).join('\n')}\n${prompt}`);
  expect(found.length).toBeLessThanOrEqual(12);
  expect(found).toContain('Who is on call?');
  for (const text of found) expect(text.length).toBeLessThanOrEqual(300);
});

it('a question whose answer is local is told from one that asks for knowledge', () => {
  for (const [prompt, locality] of [
    ['How should documentation titles be capitalised?', 'local'],
    ['Who approves table alterations?', 'local'],
    ['What can I not eat?', 'local'],
    ['What is the test environment called?', 'local'],
    ['Where do credentials go?', 'unclear'],
    ['How do magnets work?', 'universal'],
    ['How often should I water a cactus?', 'universal'],
    ['Should I learn React first?', 'universal'],
    ['Explain how titles should be written.', 'universal'],
    ['Our cat ate the tomatoes again.', 'universal'],
  ] as const)
    expect(questionsOf(prompt)[0], prompt).toMatchObject({ locality });
});
