import type { Pack, PipelineInput } from '../../api/generated/rest.ts';
import { plainSchema } from '../../packs/form/field-kind.ts';
import type { ReferenceGroup } from '../../packs/form/reference.ts';
import { formSchema, type Schema } from '../../packs/form/schema.ts';
import { inputsSchema } from '../inputs-schema.ts';

type Steps = PipelineInput['steps'];

const STEP = /\$\{\{\s*steps\.([A-Za-z0-9_-]+)/g;
/** Names that a reference can spell. */
const NAME = /^[A-Za-z0-9_-]+$/;
const MAX_DEPTH = 2;

/** What a step can use: the inputs of the pipeline, then what earlier steps return, the nearest first. */
export function referencesFor(
  { inputs, steps }: Pick<PipelineInput, 'inputs' | 'steps'>,
  at: number,
  packs: readonly Pack[],
  labels: { inputs: string; step(id: string): string; whole: string },
): ReferenceGroup[] {
  const names = Object.keys(inputsSchema({ inputs, steps }).properties ?? {}).filter((name) =>
    NAME.test(name),
  );
  const groups = [
    {
      label: labels.inputs,
      items: names.map((name) => ({ label: name, template: `\${{ inputs.${name} }}` })),
    },
    ...steps
      .slice(0, at)
      .reverse()
      .map(({ id, pack }) => ({
        label: labels.step(id),
        items: [
          ...pathsIn(formSchema(packs.find(({ name }) => name === pack)?.output_schema ?? {})).map(
            (path) => ({
              label: path,
              template: `\${{ steps.${id}.output.${path} }}`,
            }),
          ),
          { label: labels.whole, template: `\${{ steps.${id}.output }}` },
        ],
      })),
  ];
  return groups.filter(({ items }) => items.length > 0);
}

function pathsIn(given: Schema, depth = 0): string[] {
  const { properties = {} } = plainSchema(given);
  if (depth === MAX_DEPTH) return [];
  return Object.entries(properties)
    .filter(([name]) => NAME.test(name))
    .flatMap(([name, field]) => [name, ...pathsIn(field, depth + 1).map((path) => `${name}.${path}`)]);
}

/** References to steps that do not come before the step, by the JSON pointer of the text they are in. */
export function badReferences(steps: Steps): Map<string, string> {
  const found = new Map<string, string>();
  for (const [at, { input = {} }] of steps.entries()) {
    const earlier = steps.slice(0, at).map(({ id }) => id);
    for (const [place, text] of textsIn(input, `/steps/${at}/input`)) {
      const [, id] = [...text.matchAll(STEP)].find(([, step]) => !earlier.includes(step!)) ?? [];
      if (id !== undefined) found.set(place, id);
    }
  }
  return found;
}

function textsIn(value: unknown, place: string): [string, string][] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, `${place}/${name}`));
}

/** The steps after an input or a step got another name: references follow it. */
export function withRenamed(steps: Steps, from: string, to: string): Steps {
  const escaped = from.replaceAll('.', '\\.');
  const reference = new RegExp(`(\\$\\{\\{\\s*)${escaped}(?![A-Za-z0-9_-])`, 'g');
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(reference, (_, start: string) => start + to);
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rename(each)]));
  };
  return steps.map((step) => ({ ...step, input: rename(step.input) as typeof step.input }));
}
