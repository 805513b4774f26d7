import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors.ts';
import {
  DEFAULT_FACT_RULES,
  type FactReason,
  validateFact,
  validatePatch,
  validKey,
} from './validate-fact.ts';

const FACT = { key: 'city', value: 'Turin' };
const check = (fields: object) => validateFact({ ...FACT, ...fields }, DEFAULT_FACT_RULES);

function problem(run: () => unknown): { code: string; reason?: string; message: string } {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof AppError)
      return { code: thrown.code, reason: thrown.reason, message: thrown.message };
    throw thrown;
  }
  throw new Error('nothing was refused');
}

const chars = (count: number, char = 'x') => char.repeat(count);
const names = (count: number) => Array.from({ length: count }, (_, index) => `tag${index}`);

const REFUSED: [string, object, FactReason][] = [
  ['no key', { key: undefined }, 'missing_key'],
  ['a null key', { key: null }, 'missing_key'],
  ['an empty key', { key: '' }, 'missing_key'],
  ['a key of white space', { key: ' \u00a0\u3000 ' }, 'missing_key'],
  ['a number as key', { key: 7 }, 'bad_type'],
  ['a key of 513 bytes', { key: chars(513) }, 'key_too_long'],
  ['a key of 513 bytes in fewer letters', { key: `${chars(511)}é` }, 'key_too_long'],
  ['a key with NUL inside', { key: 'a\0b' }, 'bad_key'],
  ['a key with a line break inside', { key: 'a\nb' }, 'bad_key'],
  ['a key with DEL', { key: 'a\x7fb' }, 'bad_key'],
  ['a key with a C1 control', { key: 'a\u0085b' }, 'bad_key'],
  ['a key with a zero-width space', { key: 'a\u200bb' }, 'bad_key'],
  ['a key that turns the text around', { key: 'a\u202eb' }, 'bad_key'],
  ['a key with half a surrogate pair', { key: 'a\ud800' }, 'bad_key'],
  ['the key .', { key: '.' }, 'bad_key'],
  ['the key ..', { key: '..' }, 'bad_key'],
  ['the key .. after trimming', { key: ' .. ' }, 'bad_key'],
  ['a full-width ..', { key: '．．' }, 'bad_key'],
  ['an engine key', { key: 'pack_history/x' }, 'reserved_key'],
  ['an engine key after trimming', { key: '  pipeline_history/x' }, 'reserved_key'],
  ['an engine key in capitals', { key: 'PLAN_History/x' }, 'reserved_key'],
  ['an engine key in full-width letters', { key: 'ｐａｃｋ_history/x' }, 'reserved_key'],
  ['no value', { value: undefined }, 'missing_value'],
  ['a null value', { value: null }, 'missing_value'],
  ['a value of white space', { value: '\n\t ' }, 'missing_value'],
  ['an object as value', { value: { a: 1 } }, 'bad_type'],
  ['half a surrogate pair in the value', { value: 'x\udc00y' }, 'bad_type'],
  ['a value of one byte too many', { value: chars(65_537) }, 'value_too_long'],
  ['a value of too many bytes in fewer letters', { value: chars(32_769, 'é') }, 'value_too_long'],
  ['a category of 65 letters', { category: chars(65) }, 'bad_category'],
  ['a category with a space inside', { category: 'a b' }, 'bad_category'],
  ['a category with a slash', { category: 'a/b' }, 'bad_category'],
  ['a category with an umlaut', { category: 'größe' }, 'bad_category'],
  ['a number as category', { category: 1 }, 'bad_type'],
  ['a reserved category', { category: 'cache' }, 'reserved_category'],
  ['a reserved category in capitals', { category: 'WORKING' }, 'reserved_category'],
  ['a reserved category after trimming', { category: ' Pack_History ' }, 'reserved_category'],
  ['33 tags', { tags: names(33) }, 'too_many_tags'],
  ['an empty tag', { tags: [' '] }, 'bad_tag'],
  ['a tag of 65 bytes', { tags: [chars(65)] }, 'bad_tag'],
  ['a tag with a control character', { tags: ['a\x01b'] }, 'bad_tag'],
  ['a tag with half a surrogate pair', { tags: ['a\ud801'] }, 'bad_tag'],
  ['a string as tags', { tags: 'a' }, 'bad_type'],
  ['an object as tags', { tags: { 0: 'a' } }, 'bad_type'],
  ['a number among tags', { tags: ['a', 1] }, 'bad_type'],
  ['3599 seconds', { ttl_seconds: 3599 }, 'ttl_too_short'],
  ['one second', { ttl_seconds: 1 }, 'ttl_too_short'],
  ['a negative time', { ttl_seconds: -1 }, 'ttl_too_short'],
  ['a year and a second', { ttl_seconds: 31_536_001 }, 'ttl_too_long'],
  ['1e300 seconds', { ttl_seconds: 1e300 }, 'ttl_too_long'],
  ['half seconds', { ttl_seconds: 3600.5 }, 'bad_type'],
  ['a time as text', { ttl_seconds: '3600' }, 'bad_type'],
  ['true as time', { ttl_seconds: true }, 'bad_type'],
  ['NaN as time', { ttl_seconds: Number.NaN }, 'bad_type'],
  ['a negative if_version', { if_version: -1 }, 'bad_type'],
  ['half an if_version', { if_version: 1.5 }, 'bad_type'],
  ['an if_version as text', { if_version: '1' }, 'bad_type'],
  ['an unknown field', { ttl: 3600 }, 'unknown_field'],
  ['a field that only a prototype has', { constructor: 1 }, 'unknown_field'],
  ['an own __proto__', JSON.parse('{"__proto__":{"category":"x"}}'), 'unknown_field'],
];

describe('what a fact may not be', () => {
  it.each(REFUSED)('a fact with %s is refused', (_name, fields, reason) => {
    const input = Object.hasOwn(fields, '__proto__')
      ? JSON.parse('{"key":"city","value":"Turin","__proto__":{"category":"x"}}')
      : { ...FACT, ...fields };
    expect(problem(() => validateFact(input, DEFAULT_FACT_RULES))).toMatchObject({
      code: 'invalid_input',
      reason,
    });
  });

  it.each([null, 1, 'x', [], [FACT], true, undefined])('%j is not accepted as a fact', (input) => {
    expect(problem(() => validateFact(input, DEFAULT_FACT_RULES)).reason).toBe('bad_type');
  });

  it('the error names the unknown field and truncates a long name', () => {
    expect(problem(() => check({ colour: 1 })).message).toContain('"colour"');
    expect(problem(() => check({ [chars(5000)]: 1 })).message.length).toBeLessThan(300);
  });
});

const ACCEPTED: [string, object, object][] = [
  [
    'a key and a value alone',
    {},
    { key: 'city', value: 'Turin', category: undefined, tags: undefined, ttlSeconds: undefined },
  ],
  ['null as omitted', { category: null, tags: null, ttl_seconds: null }, { category: undefined }],
  ['an empty category as the default', { category: ' ' }, { category: 'user_facts' }],
  ['no tags', { tags: [] }, { tags: [] }],
  ['ttl 0 as the default', { ttl_seconds: 0 }, { ttlSeconds: 7_776_000 }],
  ['an hour', { ttl_seconds: 3600 }, { ttlSeconds: 3600 }],
  ['a year', { ttl_seconds: 31_536_000 }, { ttlSeconds: 31_536_000 }],
  ['a key of 512 bytes', { key: chars(512) }, { key: chars(512) }],
  ['a key of 512 bytes with umlauts', { key: chars(256, 'é') }, { key: chars(256, 'é') }],
  ['a key that trimming brings to 512 bytes', { key: `  ${chars(512)}  ` }, { key: chars(512) }],
  ['a composed key for a decomposed one', { key: 'cafe\u0301' }, { key: 'caf\u00e9' }],
  ['% and _ in a key', { key: '100%_a' }, { key: '100%_a' }],
  ['.. inside a key', { key: 'a/../b' }, { key: 'a/../b' }],
  ['... as a key', { key: '...' }, { key: '...' }],
  ['a key that only resembles an engine prefix', { key: 'pack_history' }, { key: 'pack_history' }],
  ['a key with a smaller engine word', { key: 'cache/x' }, { key: 'cache/x' }],
  ['32 tags', { tags: names(32) }, { tags: names(32) }],
  ['33 tags of which two are one', { tags: [...names(32), ' tag0 '] }, { tags: names(32) }],
  ['a tag of 64 bytes', { tags: [chars(32, 'é')] }, { tags: [chars(32, 'é')] }],
  ['a category of 64 letters', { category: chars(64) }, { category: chars(64) }],
  ['every sign of a category', { category: ' A-z_0.9 ' }, { category: 'A-z_0.9' }],
  ['a value of exactly the maximum', { value: chars(65_536) }, { value: chars(65_536) }],
  ['a value that trimming brings to the maximum', { value: ` ${chars(65_536)}\n` }, { value: chars(65_536) }],
  ['line breaks inside a value', { value: 'a\nb' }, { value: 'a\nb' }],
  ['if_version 0', { if_version: 0 }, { ifVersion: 0 }],
];

describe('what a fact may be', () => {
  it.each(ACCEPTED)('accepts %s', (_name, fields, expected) => {
    expect(check(fields)).toMatchObject(expected);
  });

  it('the configured maximum value size is exact to the byte', () => {
    const rules = { maxValueBytes: 3, secretGuard: true };
    expect(validateFact({ key: 'k', value: 'abc' }, rules).value).toBe('abc');
    expect(problem(() => validateFact({ key: 'k', value: 'abcd' }, rules)).reason).toBe('value_too_long');
  });

  it('validating a stored fact again returns the same fact', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 5 }), (key, value, tags) => {
        let once: ReturnType<typeof check>;
        try {
          once = check({ key, value, tags });
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(AppError);
          return;
        }
        const again = check({ key: once.key, value: once.value, tags: once.tags, category: once.category });
        expect(again).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  it('validateFact throws nothing but typed errors for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (input) => {
        try {
          validateFact(input, DEFAULT_FACT_RULES);
        } catch (thrown) {
          expect((thrown as AppError).reason).toBeTypeOf('string');
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('credentials', () => {
  const secret = 'AKIAIOSFODNN7EXAMPLQ';

  it.each([['value'], ['key']])('a credential in the %s is refused without repeating it', (field) => {
    const found = problem(() => check({ [field]: `the key is ${secret}` }));
    expect(found.code).toBe('secret_detected');
    expect(found.reason).toBeTruthy();
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('a credential in the tags is refused, also in a patch', () => {
    expect(problem(() => check({ tags: ['fine', secret] })).code).toBe('secret_detected');
    expect(problem(() => validatePatch({ tags: [secret] }, DEFAULT_FACT_RULES)).code).toBe('secret_detected');
  });

  it('a credential is accepted when the secret guard is off', () => {
    const fact = validateFact({ key: 'k', value: secret }, { ...DEFAULT_FACT_RULES, secretGuard: false });
    expect(fact.value).toBe(secret);
  });
});

describe('a patch', () => {
  it.each([
    [{}, undefined],
    [{ value: 'x' }, 'unknown_field'],
    [{ key: 'x' }, 'unknown_field'],
    [{ ttl_seconds: 3599 }, 'ttl_too_short'],
    [{ category: 'cache' }, 'reserved_category'],
    [{ tags: names(33) }, 'too_many_tags'],
  ])('the patch %j is refused', (patch, reason) => {
    expect(problem(() => validatePatch(patch, DEFAULT_FACT_RULES))).toMatchObject({
      code: 'invalid_input',
      ...(reason ? { reason } : {}),
    });
  });

  it('a patch contains only the fields that were given', () => {
    expect(validatePatch({ tags: ['a'] }, DEFAULT_FACT_RULES)).toEqual({ tags: ['a'] });
    expect(validatePatch({ ttl_seconds: 3600 }, DEFAULT_FACT_RULES)).toEqual({ ttlSeconds: 3600 });
  });

  it('a key in a path is normalised like a stored key', () => {
    expect(validKey(' cafe\u0301 ')).toBe('café');
  });
});

describe('credentials that only their name gives away', () => {
  it.each([
    ['wifi/password', 'hunter2hunter2'],
    ['prod/db_password', 'Tr0ub4dor&3xyz'],
    ['stripe/api_key', 'a3f5'.repeat(8)],
  ])('the key %s with a credential as its value is refused', (key, value) => {
    expect(problem(() => check({ key, value })).code).toBe('secret_detected');
  });

  it.each([
    ['preferences/password-manager', 'Bitwarden'],
    ['ops/api-key-rotation', 'every 90 days'],
    ['team/password', 'kept in 1Password'],
    ['auth/token-ttl', '3600'],
    ['cache/key', 'user:{id}:profile'],
  ])('the key %s with a reference or a description is accepted', (key, value) => {
    expect(check({ key, value }).value).toBe(value);
  });
});

describe('the recall sets', () => {
  const recall = fileURLToPath(new URL('../../../../../../shared/recall', import.meta.url));
  const missing = existsSync(recall) ? '' : ` (skipped: there is no ${recall})`;

  it.skipIf(missing)(`no fact of the recall sets is taken for a credential${missing}`, () => {
    for (const name of readdirSync(recall).filter((file) => file.endsWith('.json'))) {
      const { namespaces } = JSON.parse(readFileSync(join(recall, name), 'utf8'));
      for (const { facts } of namespaces) {
        for (const { key, value, tags } of facts) expect(() => check({ key, value, tags })).not.toThrow();
      }
    }
  });
});
