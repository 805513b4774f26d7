import { expect, it } from 'vitest';
import { keyFor } from './key-for.ts';

it.each([
  ['I deploy via Konflux, always on Tuesdays', 'notes/i-deploy-via-konflux-always'],
  ['  Ähre & Öl  ', 'notes/ähre-öl'],
  ['…', 'notes/first'],
  ['x'.repeat(500), `notes/${'x'.repeat(60)}`],
])('the text %j gets the key %s', (value, key) => {
  expect(keyFor(value)).toBe(key);
});
