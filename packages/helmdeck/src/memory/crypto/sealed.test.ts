import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deriveKey } from './keyring.ts';
import { namespaceKeys, rowId } from './sealed.ts';

it('a row id is the HMAC-SHA-256 of kind, session and key, so that rows of older releases are found', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 600 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), texts, texts, (dataKey, key, session) => {
      const keys = namespaceKeys(Buffer.alloc(16, 7), 1, dataKey);
      const text = ['row', 'fact', session, key].map((part) => `${part.length}:${part}`).join('');
      const expected = createHmac('sha256', deriveKey(dataKey, 'lookup')).update(text).digest();
      expect(rowId(keys, 'fact', key, session)).toEqual(expected.subarray(0, 16));
    }),
    { numRuns: 200 },
  );
});
