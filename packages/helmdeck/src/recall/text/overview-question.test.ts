import { expect, it } from 'vitest';
import { isOverviewQuestion, isVagueQuestion } from './overview-question.ts';

const OVERVIEWS = [
  'What do you remember about me?',
  'what do you know about me',
  "what's known about the user",
  'who am I?',
  'everything',
  'tell me everything you know',
  'all facts',
  'user',
  'Was weißt du über mich?',
  'Wer bin ich?',
  'Que sais-tu de moi ?',
  '¿Qué sabes de mí?',
];

it.each(OVERVIEWS)('"%s" asks for an overview', (question) => {
  expect(isOverviewQuestion(question)).toBe(true);
  expect(isVagueQuestion(question)).toBe(true);
});

it.each(['current project', 'my preferences', 'project context'])(
  '"%s" is searched for first, and answered with an overview if nothing is found',
  (question) => {
    expect(isOverviewQuestion(question)).toBe(false);
    expect(isVagueQuestion(question)).toBe(true);
  },
);

it.each([
  '',
  '  ',
  '???',
  'what do you know about konflux',
  'who is Anna',
  'to be or not',
  'deploy',
  'my name',
])('"%s" is an ordinary query', (question) => {
  expect(isOverviewQuestion(question)).toBe(false);
  expect(isVagueQuestion(question)).toBe(false);
});
