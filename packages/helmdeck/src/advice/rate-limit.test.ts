import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createAdviceRateLimit } from './rate-limit.ts';

const ADA = Buffer.from('ada');
const BOB = Buffer.from('bob');

describe('advice is for whoever reads it', () => {
  it('one store at a time has it; a second one that begins meanwhile has none, and nobody else is held up', () => {
    const gate = createAdviceRateLimit(fakeClock().now);
    expect(gate.admits(ADA)).toBe(true);
    expect(gate.admits(ADA)).toBe(false);
    expect(gate.admits(BOB)).toBe(true);
    gate.settled(ADA);
    expect(gate.admits(ADA)).toBe(false); // one of the two is still under way
    gate.settled(ADA);
    gate.settled(ADA);
    expect(gate.admits(ADA)).toBe(true);
  });

  it('a script that stores dozens in a second has none until it has been quiet', () => {
    const clock = fakeClock();
    const gate = createAdviceRateLimit(clock.now);
    const store = () => {
      const admitted = gate.admits(ADA);
      gate.settled(ADA);
      return admitted;
    };
    const admitted = Array.from({ length: 200 }, store).filter(Boolean).length;
    expect(admitted).toBe(50);
    clock.advance(1_000);
    expect(store()).toBe(false);
    clock.advance(2_000);
    expect(store()).toBe(true);
  });
});
