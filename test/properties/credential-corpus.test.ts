import { describe, expect, it } from 'vitest';
import {
  CREDENTIAL_RULES,
  detectCredential,
} from '../../packages/helmdeck/src/memory/credential-detector/credential-detector.ts';
import { readCorpus } from '../support/credential-corpus/corpus.ts';

const CREDENTIALS = readCorpus('credentials');
const HARMLESS = readCorpus('harmless');
/** As `validateFact` passes it on: the key and the value of a fact in one text. */
const asFact = (text: string): string => `notes/17: ${text}`;

describe('the credential corpus', () => {
  it('the corpus has 180 kinds of credentials in 250 forms and 300 harmless facts, each only once', () => {
    expect(new Set(CREDENTIALS.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(180);
    for (const [list, least] of [
      [CREDENTIALS, 250],
      [HARMLESS, 300],
    ] as const) {
      expect(list.length).toBeGreaterThanOrEqual(least);
      expect(new Set(list.map(({ text }) => text)).size).toBe(list.length);
      for (const { text } of list)
        expect(text, 'every placeholder is known').not.toMatch(/\[\[(?:b64|hex|pct) /);
    }
  });

  it('every rule is the first to match some text of the corpus', () => {
    const matched = new Set(CREDENTIALS.map(({ text }) => detectCredential(text)?.rule));
    expect(CREDENTIAL_RULES.map(({ name }) => name).filter((name) => !matched.has(name))).toEqual([]);
  });

  describe.each(['development', 'held-out'] as const)('the %s half', (half) => {
    it.each([
      ['alone', (text: string) => text],
      ['as a fact', asFact],
    ])('at least 95 % of the credentials are detected, %s', (_, form) => {
      const all = CREDENTIALS.filter((entry) => entry.half === half);
      const missed = all.filter(({ text }) => detectCredential(form(text)) === undefined);
      expect(missed.length, missed.map(({ kind }) => kind).join('\n')).toBeLessThanOrEqual(all.length * 0.05);
    });

    it.each([
      ['alone', (text: string) => text],
      ['as a fact', asFact],
    ])('at most 0.5 % of the harmless facts are detected, %s', (_, form) => {
      const all = HARMLESS.filter((entry) => entry.half === half);
      const wrong = all.filter(({ text }) => detectCredential(form(text)) !== undefined);
      expect(wrong.length, wrong.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(all.length * 0.005);
    });
  });

  it('beginnings of credentials that repeat up to 64 kB are scanned in linear time', {
    timeout: 120_000,
  }, () => {
    // With a pattern that backtracks over the text one of these takes minutes.
    const words = `password |password for |password is |is the password |<password |<td>password</td><td>|password,
      |cookie: a=b; |backup codes |machine a login b |login("a",|seed word |one two six |eyJ|%25|&quot;|A|4|4111 |[1,|$2b$10$
      |curl -u |mysql -p |://a:|a:1:|"d":"|WIFI:T:|otp |wallet key |echo a |https://a?key=|user a, |пароль |AAAA|a1|_`;
    const firstOfKind = new Map(CREDENTIALS.toReversed().map(({ kind, text }) => [kind, text]));
    const beginnings = [...firstOfKind.values()].map((text) => text.slice(0, Math.ceil(text.length * 0.6)));
    for (const unit of [...words.split('|'), ...beginnings]) {
      const text = unit.repeat(Math.ceil(65_536 / unit.length));
      const finding = detectCredential(text);
      expect(Object.keys(finding ?? { rule: '' }), unit).toEqual(['rule']);
    }
  });
});
