import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Advice } from '../../packages/helmdeck/src/memory/facts/store-answer.ts';
import { createMemory } from '../../packages/helmdeck/src/memory/memory.ts';
import { fakeClock } from '../../packages/helmdeck/src/testing/fake-clock.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import {
  backgroundFacts,
  conflictPairs,
  duplicatePairs,
  isConflict,
  isDuplicate,
  type LabelledFact,
  type LabelledPair,
} from './labelled-pairs.ts';

// Measures advice as a caller gets it, on a memory with hundreds of other facts: candidates that the adviser does not
// find count as missed.

const clock = fakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

const BATCH = 100;

async function storeAll(subject: string, facts: readonly LabelledFact[]) {
  for (let at = 0; at < facts.length; at += BATCH) {
    const body = { facts: facts.slice(at, at + BATCH) };
    const answer = await server.call(subject, 'POST', '/api/v1/memory/store/batch', body);
    expect(answer.status).toBe(200);
    const { results } = (await answer.json()) as { results: { error?: unknown }[] };
    expect(results.filter(({ error }) => error)).toEqual([]);
  }
  // Loads the facts into the image.
  expect((await server.call(subject, 'GET', '/api/v1/memory/search?q=anything')).status).toBe(200);
}

/** The advice on the second fact of each pair, while the first facts of all pairs are known. */
async function adviseOnAll(subject: string, pairs: readonly LabelledPair[]): Promise<Advice[]> {
  await storeAll(subject, [...pairs.map(({ known }) => known), ...backgroundFacts()]);
  const answers: Advice[] = [];
  for (const { incoming } of pairs) {
    // Far enough apart for the rate limit of advice.
    clock.advance(1_000);
    const { adviser, parts } = server.memory!;
    const memory = createMemory(parts, { subject });
    const advice = await adviser.advise(memory, { ...incoming, tags: [] });
    answers.push(advice ?? {});
    adviser.release(memory.directory.idOf(memory.caller));
  }
  return answers;
}

interface Figures {
  precision: number;
  recall: number;
  /** The pairs that were judged wrongly. */
  wrong: string[];
}

function figuresOf(
  pairs: readonly LabelledPair[],
  half: LabelledPair['half'],
  isRight: (pair: LabelledPair) => boolean,
  isFound: (pair: LabelledPair, at: number) => boolean,
): Figures {
  const counts = { found: 0, right: 0, both: 0 };
  const wrong: string[] = [];
  for (const [at, pair] of pairs.entries()) {
    if (pair.half !== half) continue;
    const [found, right] = [isFound(pair, at), isRight(pair)];
    counts.found += Number(found);
    counts.right += Number(right);
    counts.both += Number(found && right);
    if (found !== right) wrong.push(`${pair.label}: ${pair.known.value} | ${pair.incoming.value}`);
  }
  return { precision: counts.both / counts.found, recall: counts.both / counts.right, wrong };
}

describe('advice on labelled pairs', () => {
  const conflicts = conflictPairs();
  const duplicates = duplicatePairs();

  it('the pairs are many, balanced, and have distinct keys', () => {
    for (const [pairs, isRight, least] of [
      [conflicts, isConflict, 400],
      [duplicates, isDuplicate, 200],
    ] as const) {
      expect(pairs.length).toBeGreaterThanOrEqual(least);
      const share = pairs.filter(isRight).length / pairs.length;
      expect(share).toBeGreaterThan(0.4);
      expect(share).toBeLessThan(0.6);
      const keys = pairs.map(({ known }) => known.key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(pairs.filter(({ incoming }) => keys.includes(incoming.key))).toEqual([]);
    }
  });

  it('contradictions are reported with precision ≥ .95, and recall ≥ .85 in development and ≥ .78 held out', async () => {
    const answers = await adviseOnAll('conflicts', conflicts);
    const isFound = ({ known }: LabelledPair, at: number) =>
      answers[at]!.conflicts?.some(({ key }) => key === known.key) ?? false;
    for (const [half, leastRecall] of [
      ['development', 0.85],
      ['held out', 0.78],
    ] as const) {
      const { precision, recall, wrong } = figuresOf(conflicts, half, isConflict, isFound);
      expect(precision, wrong.join('\n')).toBeGreaterThanOrEqual(0.95);
      expect(recall, wrong.join('\n')).toBeGreaterThanOrEqual(leastRecall);
    }
  });

  it('near duplicates are reported with precision ≥ .95, and recall ≥ .9 in development and ≥ .85 held out', async () => {
    const answers = await adviseOnAll('duplicates', duplicates);
    const isFound = ({ known }: LabelledPair, at: number) =>
      answers[at]!.similar?.some(({ key }) => key === known.key) ?? false;
    for (const [half, leastRecall] of [
      ['development', 0.9],
      ['held out', 0.85],
    ] as const) {
      const { precision, recall, wrong } = figuresOf(duplicates, half, isDuplicate, isFound);
      expect(precision, wrong.join('\n')).toBeGreaterThanOrEqual(0.95);
      expect(recall, wrong.join('\n')).toBeGreaterThanOrEqual(leastRecall);
    }
  });
});
