import type { PackRegistry } from '../pack/pack-registry.ts';
import type { PipelineBody, PipelineStep } from '../pipeline/definition.ts';
import { type KnownConstants, schemaAt } from './known-constants.ts';
import { isEcho, type TracedRun } from './traced-runs.ts';

const MAX_NAME_CHARS = 128;

/** Everything a draft is made from. */
interface DraftParts {
  occurrences: readonly (readonly TracedRun[])[];
  packs: PackRegistry;
  constants: KnownConstants;
}

/** An input of the draft: the values it had, so that equal ones are asked for once. */
interface DraftInput {
  name: string;
  values: string;
  schema: object;
}

/**
 * A pipeline that does what the runs did. What had flowed becomes a reference to the step it came from; what was the same
 * each time and can be found out stays; everything else becomes an input.
 */
export function draftPipeline(parts: DraftParts): PipelineBody {
  const { occurrences, packs } = parts;
  const inputs: DraftInput[] = [];
  const ids: string[] = [];
  const steps = occurrences[0]!.map(({ pack }, at): PipelineStep => {
    const id = unique(pack.slice(pack.lastIndexOf('.') + 1), ids);
    const input = fieldsOf(parts, inputs, [...ids], id, at, '');
    ids.push(id);
    return { id, pack, input: input as Record<string, unknown> };
  });
  const times = occurrences.length;
  return {
    name: nameOf(steps),
    description:
      times === 1
        ? 'Made from runs of these packs.'
        : `Made from ${times} times that these packs ran in this order.`,
    inputs: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
    steps,
    metadata: metadataOf(steps, packs),
  };
}

function fieldsOf(
  parts: DraftParts,
  inputs: DraftInput[],
  ids: readonly string[],
  stepId: string,
  at: number,
  path: string,
): unknown {
  const { occurrences, packs, constants } = parts;
  const children = childrenOf(
    occurrences.map((runs) => runs[at]!),
    path,
  );
  const template = (child: string): unknown => {
    const values = occurrences.map((runs) => runs[at]!.trace.in[child]);
    const [first] = values;
    const isConstant = first !== undefined && first !== '' && values.every((each) => each === first);
    const constant = () => {
      const learned = occurrences.flatMap((runs) => runs[at]!.learned[child] ?? []);
      const found = isConstant
        ? constants.find(packs.get(occurrences[0]![at]!.pack), child, first, learned)
        : undefined;
      // A text with a reference in it would be filled in.
      return typeof found?.value === 'string' && found.value.includes('${{') ? undefined : found;
    };
    // One occurrence alone says nothing about what stays the same.
    const isHabit = isConstant && (occurrences.length > 1 || constants.trivial.has(first));
    const habit = isHabit ? constant() : undefined;
    if (habit) return habit.value;
    const flow = flowTo(occurrences, at, child);
    if (flow)
      return `\${{ steps.${ids[flow.from]}.output${flow.outPath.startsWith('[') ? '' : '.'}${flow.outPath} }}`;
    const known = inputs.find((each) => each.values === JSON.stringify(values) && !values.includes(''));
    if (known) return `\${{ inputs.${known.name} }}`;
    const later = isHabit ? undefined : constant();
    if (later) return later.value;
    const nested = childrenOf(
      occurrences.map((runs) => runs[at]!),
      child,
    );
    if (nested.length > 0) return fieldsOf(parts, inputs, ids, stepId, at, child);
    const name = inputName(child, stepId, inputs);
    const { type, description, enum: choices } = schemaAt(packs.get(occurrences[0]![at]!.pack), child);
    const note =
      isConstant && occurrences.length > 1 ? 'was the same each time; its text is not kept' : undefined;
    inputs.push({
      name,
      values: JSON.stringify(values),
      schema: {
        ...(type === undefined ? {} : { type }),
        ...(choices === undefined ? {} : { enum: choices }),
        description: [description ?? `${child} of ${stepId}`, note]
          .filter((part) => part !== undefined)
          .join('; '),
      },
    });
    return `\${{ inputs.${name} }}`;
  };
  return path !== '' && children[0]?.endsWith(']')
    ? children.map(template)
    : Object.fromEntries(children.map((child) => [child.slice(child.lastIndexOf('.') + 1), template(child)]));
}

/** The paths of the fields below a path; none if it is not an object or array of the same fields each time. */
function childrenOf(runs: readonly TracedRun[], path: string): string[] {
  const below = ({ trace }: TracedRun) => Object.keys(trace.in).filter((each) => parentOf(each) === path);
  const all = runs.map(below);
  // Fields that were not always given are optional inputs, which only the top level has.
  if (path === '') return [...new Set(all.flat())];
  return all.every((each) => each.join(' ') === all[0]!.join(' ')) ? all[0]! : [];
}

function parentOf(path: string): string {
  const cut = path.endsWith(']') ? path.lastIndexOf('[') : path.lastIndexOf('.');
  return cut < 0 ? '' : path.slice(0, cut);
}

/** Where a value came from each time: an output of an earlier step, of several the one most like it in name. */
function flowTo(
  occurrences: DraftParts['occurrences'],
  at: number,
  inPath: string,
): { from: number; outPath: string } | undefined {
  const found: { from: number; outPath: string }[] = [];
  for (let from = 0; from < at; from++)
    for (const outPath of Object.keys(occurrences[0]![from]!.trace.out)) {
      const flowed = (runs: readonly TracedRun[]) => {
        const value = runs[at]!.trace.in[inPath];
        const giver = runs[from]!;
        return Boolean(value) && giver.trace.out[outPath] === value && !isEcho(giver, value!);
      };
      if (occurrences.every(flowed)) found.push({ from, outPath });
    }
  const rank = ({ outPath }: { outPath: string }) =>
    Number(leafOf(outPath) !== leafOf(inPath)) * 100 + outPath.split(/[.[]/).length;
  return found.sort((a, b) => rank(a) - rank(b) || b.from - a.from || (a.outPath < b.outPath ? -1 : 1))[0];
}

const leafOf = (path: string) => path.slice(path.lastIndexOf('.') + 1).replaceAll(/\[\d+\]/g, '');

function inputName(path: string, stepId: string, inputs: readonly DraftInput[]): string {
  const taken = inputs.map(({ name }) => name);
  const leaf = path.slice(path.lastIndexOf('.') + 1).replaceAll(/\[(\d+)\]/g, '_$1');
  return taken.includes(leaf) ? unique(`${stepId}_${leaf}`, taken) : leaf;
}

function unique(name: string, taken: readonly string[]): string {
  const short = name.slice(0, 60);
  for (let n = 1; ; n++) {
    const each = n === 1 ? short : `${short}_${n}`;
    if (!taken.includes(each)) return each;
  }
}

function nameOf(steps: readonly PipelineStep[]): string {
  const words = steps
    .map(({ pack }) => pack.slice(pack.lastIndexOf('.') + 1).replaceAll('_', ' '))
    .join(', then ');
  return `${words[0]!.toUpperCase()}${words.slice(1)}`.slice(0, MAX_NAME_CHARS);
}

/** What the first step accepts and the last one produces. */
function metadataOf(steps: readonly PipelineStep[], packs: PackRegistry): PipelineBody['metadata'] {
  const { accepts } = packs.get(steps[0]!.pack).metadata;
  const { produces } = packs.get(steps.at(-1)!.pack).metadata;
  return { ...(accepts ? { accepts } : {}), ...(produces ? { produces } : {}) };
}
