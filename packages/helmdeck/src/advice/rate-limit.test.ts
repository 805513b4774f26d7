import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { createAdviceRateLimit } from './rate-limit.ts';

const ADA = Buffer.from('ada');
const BOB = Buffer.from('bob');

describe('the rate limit of advice', () => {
  it('one store of a caller at a time gets advice, independently of other callers', () => {
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

  it('a script that stores dozens of facts a second gets no advice until it pauses', () => {
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
