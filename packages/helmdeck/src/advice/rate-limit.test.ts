import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createAdviceRateLimit } from './rate-limit.ts';

const ADA = Buffer.from('ada');
const BOB = Buffer.from('bob');

describe('the rate limit of advice', () => {
  it('admits one store of a caller at a time, and does not affect other callers', () => {
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

  it('refuses a script that stores dozens in a second until it pauses', () => {
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
