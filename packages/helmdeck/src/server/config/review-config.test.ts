import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

const DAY = 86_400;
const policy = (text?: string) =>
  loadConfig(text === undefined ? {} : { HELMDECK_REVIEW_AFTER: text }).config.review;

describe('HELMDECK_REVIEW_AFTER', () => {
  it('facts are due for review after 30 days by default', () => {
    expect(policy()).toEqual({ byCategory: new Map(), otherSeconds: 30 * DAY });
    expect(policy('').otherSeconds).toBe(30 * DAY);
  });

  it.each([
    ['14d', 14 * DAY],
    ['1h', 3_600],
    ['52w', 364 * DAY],
    ['365d', 365 * DAY],
    ['OFF', undefined],
  ])('%s is a period for all facts', (text, otherSeconds) => {
    expect(policy(text)).toEqual({ byCategory: new Map(), otherSeconds });
  });

  it('a list has a period for each category, and * stands for every other one', () => {
    expect(policy('preferences=90d, deploy_targets = 14d,*=60d')).toEqual({
      byCategory: new Map([
        ['preferences', 90 * DAY],
        ['deploy_targets', 14 * DAY],
      ]),
      otherSeconds: 60 * DAY,
    });
    expect(policy('60d,preferences=off')).toEqual({
      byCategory: new Map([['preferences', undefined]]),
      otherSeconds: 60 * DAY,
    });
  });

  it('a list without * leaves every other category at 30 days', () => {
    expect(policy('preferences=off').otherSeconds).toBe(30 * DAY);
  });

  it.each(['30', '0d', '30m', '59w', '1y', '-3d', 'never', 'a=1d,', 'a=b=1d', ',', '1.5d'])(
    'the value %s is refused with a sentence that says what is allowed',
    (text) => {
      expect(() => policy(text)).toThrow(
        'HELMDECK_REVIEW_AFTER must be a period from 1h to 365d, a list such as preferences=90d,*=30d, or off.',
      );
    },
  );

  it('a name that is not a category, and a category named twice, are refused with a sentence', () => {
    for (const name of ['', 'my notes', 'cache', 'x'.repeat(65)])
      expect(() => policy(`${name}=1d`)).toThrow(
        `HELMDECK_REVIEW_AFTER names "${name}", which is not a category of facts.`,
      );
    expect(() => policy('ops=1d,ops=2d')).toThrow('HELMDECK_REVIEW_AFTER has two periods for "ops".');
    expect(() => policy('1d,*=2d')).toThrow('HELMDECK_REVIEW_AFTER has two periods for "*".');
  });
});
