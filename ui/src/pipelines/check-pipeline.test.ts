import { describe, expect, it } from 'vitest';
import type { Pack } from '../api/generated/rest.ts';
import { referencesFor, withRenamed } from './builder/references.ts';
import { checkPipeline, isPipelineShape, STARTER } from './check-pipeline.ts';

const text = { type: 'string' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const PACKS = [
  {
    name: 'http.fetch',
    input_schema: object({ url: text, limit: { type: 'integer' } }, ['url']),
    output_schema: object({ status: { type: 'integer' }, page: object({ title: text }), 'odd name': text }),
  },
  {
    name: 'artifact.put',
    input_schema: object({ content: text, filename: text }, ['content']),
    output_schema: object({ artifact_key: text }),
  },
  { name: 'helmdeck.memory_store', input_schema: object({ key: text, value: text }), output_schema: {} },
] as unknown as Pack[];
const fetchStep = (input: Record<string, unknown>, id = 'page') => ({ id, pack: 'http.fetch', input });
const problems = (...steps: object[]) => Object.fromEntries(checkPipeline({ name: 'x', steps }, PACKS));

describe('a pipeline definition, checked in the browser', () => {
  it('the definition that a new pipeline starts with has no problem', () => {
    expect([...checkPipeline(STARTER, PACKS)]).toEqual([]);
  });

  it('problems are reported at the field of the step that has them', () => {
    expect(problems(fetchStep({}), fetchStep({ url: 'a', limit: 'many' }))).toEqual({
      '/steps/0/input/url': 'This is required.',
      '/steps/1/id': 'Two steps are called page.',
      '/steps/1/input/limit': 'This must be a number.',
    });
    expect(problems({ id: 'a b', pack: 'no.such' })).toHaveProperty('/steps/0/id');
    expect(problems({ id: 'a', pack: 'no.such' })).toEqual({ '/steps/0/pack': 'There is no pack no.such.' });
  });

  it('a reference fits any field, but only an earlier step can be used', () => {
    const later = fetchStep({ url: '${{ inputs.url }}', limit: '${{ steps.page.output.status }}' }, 'more');
    expect(problems(fetchStep({ url: 'a' }), later)).toEqual({});
    expect(problems(later, fetchStep({ url: 'a' }))).toEqual({
      '/steps/0/input/limit': 'There is no step page before this one.',
    });
  });

  it('a definition without the shape of a pipeline cannot be shown as a form', () => {
    expect(isPipelineShape({ name: '', steps: [{ id: '', pack: '' }] })).toBe(true);
    expect(isPipelineShape({ name: 'x', steps: {} })).toBe(false);
    expect(isPipelineShape([])).toBe(false);
  });
});

describe('references', () => {
  const steps = [fetchStep({ url: '${{ inputs.address }}' }), { id: 'keep', pack: 'artifact.put' }];
  const labels = { inputs: 'Inputs', step: (id: string) => id, whole: 'all' };

  it('a step can use the inputs and the outputs of earlier steps, with nested fields, but not of later ones', () => {
    expect(referencesFor({ steps }, 1, PACKS, labels)).toEqual([
      { label: 'Inputs', items: [{ label: 'address', template: '${{ inputs.address }}' }] },
      {
        label: 'page',
        items: [
          { label: 'status', template: '${{ steps.page.output.status }}' },
          { label: 'page', template: '${{ steps.page.output.page }}' },
          { label: 'page.title', template: '${{ steps.page.output.page.title }}' },
          { label: 'all', template: '${{ steps.page.output }}' },
        ],
      },
    ]);
    expect(referencesFor({ steps }, 0, PACKS, labels)).toHaveLength(1);
  });

  it('references follow a step that is renamed, and only that one', () => {
    const input = { content: '${{steps.page.output.a}} ${{ steps.page-2.output.a }} ${{ inputs.page }}' };
    expect(
      withRenamed([{ id: 'keep', pack: 'artifact.put', input }], 'steps.page', 'steps.site')[0]!.input,
    ).toEqual({
      content: '${{steps.site.output.a}} ${{ steps.page-2.output.a }} ${{ inputs.page }}',
    });
  });
});
