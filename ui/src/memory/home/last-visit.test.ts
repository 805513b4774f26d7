import { expect, it } from 'vitest';
import { noteVisit } from './last-visit.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 18, 8);

function memoryStorage(start: Record<string, string> = {}) {
  const values = new Map(Object.entries(start));
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  };
}

it('the first visit looks back a week', () => {
  expect(noteVisit(memoryStorage(), 'ada', NOW_MS)).toBe(NOW_MS - 7 * DAY_MS);
});

it('a visit begins where the last one ended, and a reload does not begin a new one', () => {
  const storage = memoryStorage();
  noteVisit(storage, 'ada', NOW_MS);
  const endMs = NOW_MS + 20 * MINUTE_MS;
  expect(noteVisit(storage, 'ada', endMs)).toBe(NOW_MS - 7 * DAY_MS);
  expect(noteVisit(storage, 'ada', endMs + DAY_MS)).toBe(endMs);
  expect(noteVisit(storage, 'ada', endMs + DAY_MS + MINUTE_MS)).toBe(endMs);
});

it('each person has visits of their own', () => {
  const storage = memoryStorage();
  noteVisit(storage, 'ada', NOW_MS);
  expect(noteVisit(storage, 'bob', NOW_MS + DAY_MS)).toBe(NOW_MS - 6 * DAY_MS);
});

it.each(['{', 'null', '[]', '{"sinceMs":"x"}'])('the stored text %s counts as no visit', (text) => {
  const storage = memoryStorage({ 'helmdeck.visit.ada': text });
  expect(noteVisit(storage, 'ada', NOW_MS)).toBe(NOW_MS - 7 * DAY_MS);
});

it('storage that refuses to write is no error', () => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
  expect(noteVisit(full, 'ada', NOW_MS)).toBe(NOW_MS - 7 * DAY_MS);
});
