import { describe, expect, it } from 'vitest';
import type { Pack } from '../../api/generated/rest.ts';
import { inputsSchema } from '../../pipelines/inputs-schema.ts';
import { checkValue } from './check-value.ts';
import { fieldKind } from './field-kind.ts';
import { firstInput } from './first-input.ts';
import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const problems = (schema: Schema, value: unknown) => [...checkValue(schema, value).keys()];

describe('the control for a field', () => {
  it.each([
    ['name', text, 'text'],
    ['source_content', text, 'long'],
    ['name', { type: 'string', maxLength: 5_000 }, 'long'],
    ['note', { type: 'string', maxLength: 80 }, 'text'],
    ['url', { type: 'string', maxLength: 8_192 }, 'text'],
    ['callback', { type: 'string', format: 'uri', maxLength: 8_192 }, 'text'],
    ['count', { type: 'integer' }, 'number'],
    ['strict', { type: 'boolean' }, 'yes-no'],
    ['state', { type: 'string', enum: ['open', 'closed'] }, 'choice'],
    ['state', { anyOf: [{ const: 'open' }, { enum: ['closed'] }] }, 'choice'],
    ['title', { anyOf: [text, { type: 'null' }] }, 'text'],
    ['title', { type: ['string', 'null'] }, 'text'],
    ['paths', { type: 'array', items: text }, 'list'],
    ['author', object({ name: text }), 'group'],
    ['headers', { type: 'object', additionalProperties: text }, 'pairs'],
    ['context', { type: 'object', additionalProperties: {} }, 'json'],
    ['labels', { anyOf: [text, { type: 'array', items: text }] }, 'json'],
    ['anything', {}, 'json'],
  ] as [string, Schema, string][])('the control for %s %j is %s', (name, schema, kind) => {
    expect(fieldKind(name, schema)).toBe(kind);
  });
});

describe('validation of an input before it is sent', () => {
  const schema = object(
    {
      title: { type: 'string', minLength: 1, maxLength: 5 },
      limit: { type: 'integer', minimum: 1, maximum: 9 },
      labels: { anyOf: [text, { type: 'array', items: text, maxItems: 1 }] },
      author: object({ name: text }, ['name']),
      lines: { type: 'array', items: object({ id: { type: 'string', pattern: '^[a-z]+$' } }, ['id']) },
      since: { type: 'string', default: 'yesterday' },
      nothing: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    },
    ['title', 'since'],
  );

  it('validation reports nothing when the server would accept the input', () => {
    expect(problems(schema, { title: 'ok' })).toEqual([]);
    expect(problems(schema, { title: 'ok', limit: 9, labels: ['a'], nothing: null })).toEqual([]);
    expect(problems(schema, { title: 'ok', lines: [{ id: 'a' }], author: { name: 'Mara' } })).toEqual([]);
  });

  it.each([
    [{}, ['/title']],
    [{ title: '' }, ['/title']],
    [{ title: 'too long' }, ['/title']],
    [{ title: 'ok', limit: 'abc' }, ['/limit']],
    [{ title: 'ok', limit: 1.5 }, ['/limit']],
    [{ title: 'ok', limit: 10 }, ['/limit']],
    [{ title: 'ok', labels: ['a', 'b'] }, ['/labels']],
    [{ title: 'ok', author: {} }, ['/author/name']],
    [{ title: 'ok', lines: [{ id: 'a' }, { id: 'A1' }] }, ['/lines/1/id']],
    [{ title: 'ok', other: 1 }, ['/other']],
    ['no object', ['']],
  ])('validation reports the JSON pointer of the problem in %j', (value, places) => {
    expect(problems(schema, value)).toEqual(places);
  });
});

describe('the initial values of a form', () => {
  const schema = object({
    persona: { type: 'string', enum: ['technical', 'friendly'] },
    audience: text,
    limit: { type: 'integer', default: 20 },
  });

  it('initial values are the suggested ones, then the learned ones, then the defaults', () => {
    const learned = { persona: 'friendly', audience: 'everybody', gone: 'x' };
    expect(firstInput(schema, learned, { audience: 'finance' })).toEqual({
      persona: 'friendly',
      audience: 'finance',
      limit: 20,
    });
  });

  it('initial values omit a learned value that the pack no longer accepts', () => {
    expect(firstInput(schema, { persona: 'sarcastic' })).toEqual({ limit: 20 });
  });
});

describe('the form of a pipeline', () => {
  it('the form of a pipeline has the inputs its author described and those its steps refer to', () => {
    const steps = [{ id: 'a', pack: 'p', input: { x: '${{ inputs.topic.title }} ${{inputs.url}}' } }];
    const { properties } = inputsSchema({ inputs: { url: 'where', count: { type: 'integer' } }, steps });
    expect(properties).toEqual({
      url: { type: 'string', description: 'where' },
      count: { type: 'integer' },
      topic: { type: 'string' },
    });
  });

  it('the form of a pipeline requires an input that a step passes to a required field of its pack', () => {
    const pack = { name: 'p', input_schema: object({ url: text, title: text }, ['url']) } as unknown as Pack;
    const input = { url: '${{ inputs.address }}', title: '${{ inputs.title }}' };
    expect(inputsSchema({ steps: [{ id: 'a', pack: 'p', input }] }, [pack]).required).toEqual(['address']);
  });

  it('the form of a pipeline without inputs allows no other fields, so that it shows no JSON field', () => {
    expect(inputsSchema({ steps: [{ id: 'a', pack: 'p', input: {} }] }).additionalProperties).toBe(false);
  });
});
