import type { Pack, PipelineInput } from '../api/generated/rest.ts';
import { checkValue, type Problems } from '../packs/form/check-value.ts';
import type { Fields } from '../packs/form/first-input.ts';
import { formSchema, type Schema } from '../packs/form/schema.ts';
import { strings } from '../strings.ts';
import { badReferences } from './builder/references.ts';

const text = strings.pipelines;
const WORDS: Schema = { type: 'array', items: { type: 'string' } };
const LIST_NAMES = ['accepts', 'produces', 'intent_keywords', 'limitations', 'supersedes'];

const PIPELINE: Schema = {
  type: 'object',
  required: ['name', 'steps'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128 },
    description: { type: 'string', maxLength: 4_000 },
    inputs: { type: 'object' },
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        required: ['id', 'pack'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
          pack: { type: 'string' },
          version: { type: 'string' },
          input: { type: 'object' },
        },
      },
    },
    metadata: {
      type: 'object',
      additionalProperties: false,
      properties: {
        typical_use: { type: 'string' },
        ...Object.fromEntries(LIST_NAMES.map((name) => [name, WORDS])),
      },
    },
  },
};

/** What the builder needs to show a definition; names may be empty while they are typed. */
const LOOSE_PIPELINE: Schema = {
  type: 'object',
  required: ['steps'],
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    inputs: { type: 'object' },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'pack'],
        properties: { id: { type: 'string' }, pack: { type: 'string' }, input: { type: 'object' } },
      },
    },
  },
};

/** Whether the definition has the shape of a pipeline, so that the builder can show it. */
export const isPipelineShape = (value: unknown): value is PipelineInput =>
  checkValue(LOOSE_PIPELINE, value).size === 0;

/** What is wrong with a definition, by JSON pointer; the server still decides. */
export function checkPipeline(value: unknown, packs: readonly Pack[]): Problems {
  const wrong = checkValue(PIPELINE, value);
  if (wrong.size > 0 || !isPipelineShape(value)) return wrong;
  const problems = new Map<string, string>();
  const ids = value.steps.map(({ id }) => id);
  for (const [at, step] of value.steps.entries()) {
    if (ids.indexOf(step.id) < at) problems.set(`/steps/${at}/id`, text.sameId(step.id));
    const pack = packs.find(({ name }) => name === step.pack);
    if (!pack) problems.set(`/steps/${at}/pack`, text.unknownPack(step.pack));
    else
      for (const [place, problem] of inputProblems(pack, step.input ?? {}))
        problems.set(`/steps/${at}/input${place}`, problem);
  }
  for (const [place, id] of badReferences(value.steps)) problems.set(place, text.laterStep(id));
  return problems;
}

/** The problems of a step's input, but for what a run fills in. */
function inputProblems(pack: Pack, input: Fields): [string, string][] {
  return [...checkValue(formSchema(pack.input_schema), input)].filter(
    ([place]) => !JSON.stringify(valueAt(input, place) ?? null).includes('${{'),
  );
}

function valueAt(input: Fields, place: string): unknown {
  let value: unknown = input;
  for (const name of place.split('/').slice(1)) value = (value as Fields | undefined)?.[name];
  return value;
}

/** The part of a pipeline that its author wrote. */
export function bodyOf({ name, description, inputs, steps, metadata }: PipelineInput): PipelineInput {
  return { name, description, inputs, steps, metadata };
}

/** A small working definition to start from. */
export const STARTER: PipelineInput = {
  name: text.starterName,
  description: text.starterDescription,
  inputs: { note: { type: 'string', description: text.starterInput } },
  steps: [
    { id: 'keep', pack: 'artifact.put', input: { content: '${{ inputs.note }}', filename: 'note.md' } },
    {
      id: 'remember',
      pack: 'helmdeck.memory_store',
      input: {
        key: 'notes/latest',
        value: '${{ inputs.note }} (${{ steps.keep.output.artifact_key }})',
      },
    },
  ],
};
