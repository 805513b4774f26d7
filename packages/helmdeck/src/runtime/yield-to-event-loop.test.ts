import { expect, it } from 'vitest';
import { createYielder } from './yield-to-event-loop.ts';

const STEP_MS = 4;
const TASKS = 10;
const STEPS = 5;

/** Keeps the thread busy for longer than a slice. */
function work(): void {
  const untilMs = performance.now() + STEP_MS;
  while (performance.now() < untilMs);
}

it('between two turns of the event loop only one of many long tasks runs, and none waits for the end of another', async () => {
  let stepsInTurn = 0;
  let mostInTurn = 0;
  let isRunning = true;
  const onTurn = () => {
    mostInTurn = Math.max(mostInTurn, stepsInTurn);
    stepsInTurn = 0;
    if (isRunning) setImmediate(onTurn);
  };
  const ended: number[] = [];
  const done = Array.from({ length: TASKS }, () => 0);
  const tasks = Array.from({ length: TASKS }, async (_, task) => {
    const yieldIfDue = createYielder();
    await new Promise((resolve) => setImmediate(resolve));
    for (let step = 0; step < STEPS; step++) {
      await yieldIfDue();
      work();
      stepsInTurn++;
      done[task]!++;
    }
    ended.push(Math.min(...done));
  });
  await new Promise((resolve) => setTimeout(resolve, 2 * STEP_MS));
  setImmediate(onTurn);
  await Promise.all(tasks);
  isRunning = false;
  expect(mostInTurn).toBeLessThan(TASKS / 2);
  expect(ended[0]).toBeGreaterThanOrEqual(STEPS - 2);
});
