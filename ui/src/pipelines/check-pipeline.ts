import type { Pack, PipelineInput } from '../api/generated/rest.ts';
import { checkValue } from '../packs/form/check-value.ts';
import type { Schema } from '../packs/form/schema.ts';
import { readJson } from '../packs/form/use-input-draft.ts';
import { strings } from '../strings.ts';

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

export interface CheckedPipeline {
  problems: string[];
  /** The definition, if it can be parsed; used to draw it. */
  body?: PipelineInput;
}

/** Validates a definition in the browser; the server still decides. */
export function checkPipeline(json: string, packs: readonly Pack[]): CheckedPipeline {
  const read = readJson(json);
  if (!('value' in read)) return { problems: [read.problem] };
  const wrong = [...checkValue(PIPELINE, read.value)];
  if (wrong.length > 0) return { problems: wrong.map(([place, problem]) => `${place.slice(1)}: ${problem}`) };
  const body = read.value as PipelineInput;
  const ids = body.steps.map(({ id }) => id);
  const problems = body.steps.flatMap(({ id, pack }, index) => [
    ...(packs.some(({ name }) => name === pack) ? [] : [text.unknownPack(id, pack)]),
    ...(ids.indexOf(id) < index ? [text.sameId(id)] : []),
  ]);
  return { problems, body };
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
