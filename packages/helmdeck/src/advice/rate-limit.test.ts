import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createAdviceRateLimit } from './rate-limit.ts';

const ADA = Buffer.from('ada');
const BOB = Buffer.from('bob');

describe('the rate limit of advice', () => {
  it('admits one store of a caller at a time, and does not affect other callers', () => {
    const rateLimit = createAdviceRateLimit(fakeClock().now);
    expect(rateLimit.tryAcquire(ADA)).toBe(true);
    expect(rateLimit.tryAcquire(ADA)).toBe(false);
    expect(rateLimit.tryAcquire(BOB)).toBe(true);
    rateLimit.release(ADA);
    expect(rateLimit.tryAcquire(ADA)).toBe(false); // one of the two is still under way
    rateLimit.release(ADA);
    rateLimit.release(ADA);
    expect(rateLimit.tryAcquire(ADA)).toBe(true);
  });

  it('refuses a script that stores dozens in a second until it pauses', () => {
    const clock = fakeClock();
    const rateLimit = createAdviceRateLimit(clock.now);
    const store = () => {
      const admitted = rateLimit.tryAcquire(ADA);
      rateLimit.release(ADA);
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
