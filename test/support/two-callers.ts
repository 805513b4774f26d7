import fc from 'fast-check';
import type { Who } from './every-route.ts';

/** Subject and tenant names that break careless code. */
export const HOSTILE = [
  'a', 'A', 'a:b', 'a/b', 'b', ':', 'a:', ':a', 'a ', ' a', 'unknown', 'anonymous', 'system', 'admin', '*', '%', '_',
  'a%', 'a_', '..', '.', "a'b", '"', "' OR 1=1 --", 'café', 'cafe\u0301', 'аdmin', 'ａ', 'ﬁ', 'fi', 'ı', 'i', 'İ',
  'a\u200bb', 'ab', 'a\u00a0', 'null', 'undefined', '0', '__proto__', '😀', 'x'.repeat(256), 'x'.repeat(255), 'é'.repeat(128),
  '\\', 'a\\', '{}', 'a,b', 'a;b', 'a=b', '[object Object]', 'true',
]; // biome-ignore format: one screen

const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...HOSTILE) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed()),
  },
);
const who: fc.Arbitrary<Who> = fc.record({ subject: name, tenant: name }, { requiredKeys: ['subject'] });
/** Pairs of names that are equal to a comparison that trims, normalizes, folds case, truncates or matches patterns. */
export const TWINS: [string, string][] = [
  ['café', 'cafe\u0301'],
  ['a', 'a '],
  ['a', ' a'],
  ['a', 'A'],
  ['a', 'ａ'],
  ['a', 'a\u200b'],
  ['fi', 'ﬁ'],
  ['K', '\u212a'],
  ['ß', 'ss'],
  ['admin', 'аdmin'],
  ['a', '%'],
  ['ab', 'a_'],
  ['a:b', 'a'],
  ['x'.repeat(256), 'x'.repeat(255)],
];
const twins: fc.Arbitrary<[Who, Who]> = fc
  .tuple(fc.constantFrom(...TWINS), fc.option(name, { nil: undefined }), fc.boolean())
  .map(([[a, b], other, asTenant]) =>
    asTenant
      ? [
          { subject: other ?? 'a', tenant: a },
          { subject: other ?? 'a', tenant: b },
        ]
      : [
          { subject: a, tenant: other },
          { subject: b, tenant: other },
        ],
  );
const strangers: fc.Arbitrary<[Who, Who]> = fc
  .tuple(who, who, fc.boolean(), fc.boolean())
  // Often the same subject in two tenants, or subject and tenant swapped.
  .map(([a, b, sameSubject, swap]): [Who, Who] => {
    if (swap && a.tenant !== undefined) return [a, { subject: a.tenant, tenant: a.subject }];
    return [a, sameSubject ? { ...b, subject: a.subject } : b];
  })
  .filter(([a, b]) => a.subject !== b.subject || a.tenant !== b.tenant);
/** Two different callers that often look the same. */
export const twoCallers = fc.oneof(twins, strangers);
