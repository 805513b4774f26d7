import { describe, expect, it } from 'vitest';
import { renewalSeconds, shortAge, timeLeft } from './time-left.ts';

const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();

describe('time left', () => {
  it('the time left is given in days, hours or minutes, with its share of the lifetime', () => {
    const fact = { updated_at: at(0), expires_at: at(90 * DAY_MS) };
    expect(timeLeft(fact, 19 * DAY_MS)).toMatchObject({
      short: '71 d',
      soon: false,
      daysLeft: 71,
      daysInAll: 90,
    });
    expect(timeLeft(fact, 85 * DAY_MS)).toMatchObject({ short: '5 d', soon: true });
    expect(timeLeft(fact, 90 * DAY_MS - 5 * 3_600_000).short).toBe('5 h');
    expect(timeLeft(fact, 91 * DAY_MS)).toMatchObject({ short: '0 min', share: 0 });
  });

  it('the lifetime of a fact starts at its confirmation, if that is later than its last write', () => {
    const fact = { updated_at: at(20 * DAY_MS), expires_at: at(120 * DAY_MS) };
    const all = (confirmedMs: number) =>
      timeLeft({ ...fact, confirmed_at: at(confirmedMs) }, 40 * DAY_MS).daysInAll;
    expect([all(30 * DAY_MS), all(10 * DAY_MS)]).toEqual([90, 100]);
  });

  it('the time left is never shortened by a renewal', () => {
    expect(renewalSeconds({ expires_at: at(5 * DAY_MS) }, 0)).toBe(7_776_000);
    expect(renewalSeconds({ expires_at: at(300 * DAY_MS) }, 0)).toBe(31_536_000);
  });

  it('ages are given in short words', () => {
    const ages = [0, 5 * 60_000, 3 * 3_600_000, 1.5 * DAY_MS, 19 * DAY_MS, 30 * DAY_MS, 300 * DAY_MS];
    expect(ages.map((ms) => shortAge(at(0), ms))).toEqual([
      'just now',
      '5 min ago',
      '3 h ago',
      'yesterday',
      '19 d ago',
      '4 w ago',
      '10 mo ago',
    ]);
  });
});
