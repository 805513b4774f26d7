import { expect, it } from 'vitest';
import { withSchemaTypes } from './lenient-input.ts';

const SCHEMA = {
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer' },
    confirm: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    facts: { type: 'array', items: { type: 'object' } },
    key: { type: 'string' },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['key'],
};
const read = (input: Record<string, unknown>) => withSchemaTypes(SCHEMA, input);

it('a number, a boolean or a list that a model writes as text is read as what the schema asks for', () => {
  expect(read({ limit: ' 5 ', confirm: 'true', tags: 'a, b,', query: '5' })).toEqual({
    limit: 5,
    confirm: true,
    tags: ['a', 'b'],
    query: '5',
  });
  expect(read({ tags: '["a","b"]', facts: '[{"key":"a"}]' })).toEqual({
    tags: ['a', 'b'],
    facts: [{ key: 'a' }],
  });
});

it('null for an optional field counts as left out, and for a required one stays to be rejected', () => {
  expect(read({ limit: null, key: null, either: null })).toEqual({ key: null, either: null });
});

it('what cannot be read, and fields that the schema does not have, stay as they are', () => {
  const input = { limit: 'five', confirm: 'yes', tags: '[1', facts: 'x', other: '5', limits: null };
  expect(read(input)).toEqual(input);
  expect(read(JSON.parse('{"constructor":"5","__proto__":"5"}'))).toMatchObject({ constructor: '5' });
});
