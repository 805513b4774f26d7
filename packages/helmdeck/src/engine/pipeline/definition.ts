import { AppError } from '../../errors.ts';
import { assertShallow } from '../json-depth.ts';
import { METADATA_FIELDS, metadataProblem, type PackMetadata } from '../pack/metadata.ts';
import type { PackRegistry } from '../pack/pack-registry.ts';
import { stepsReferredTo } from './template.ts';

export interface PipelineStep {
  id: string;
  pack: string;
  version?: string;
  input: Record<string, unknown>;
}

/** A pipeline as its author writes it. */
export interface PipelineBody {
  name: string;
  description?: string;
  /** The inputs of a run, by name; documentation for people and models. */
  inputs?: Record<string, unknown>;
  steps: PipelineStep[];
  metadata: PackMetadata;
}

/** A pipeline as the API returns it. */
export interface Pipeline extends PipelineBody {
  id: string;
  builtin: boolean;
  /** How often it was changed, and 1; earlier versions are not kept. */
  version: number;
  created_at: string;
  updated_at: string;
}

const FIELDS = ['name', 'description', 'inputs', 'steps', 'metadata'];
/** Set by the server. Accepted and ignored, so that a pipeline that was read can be sent back. */
const SERVER_FIELDS = ['id', 'builtin', 'version', 'created_at', 'updated_at'];
const STEP_FIELDS = ['id', 'pack', 'version', 'input'];
const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_STEPS = 50;
const MAX_CHARS = 262_144;

/** Turns untrusted input into a pipeline, or throws `invalid_pipeline` with the exact problem. */
export function validatePipeline(input: unknown, packs: PackRegistry): PipelineBody {
  const fields = asObject('the pipeline', input, [...FIELDS, ...SERVER_FIELDS]);
  assertShallow(fields, 'invalid_pipeline');
  if (JSON.stringify(fields).length > MAX_CHARS) refuse('it is larger than 256 KiB', 'too_large');
  const name = text('name', fields.name, 128);
  if (name === undefined || name.trim() === '') refuse('name is required', 'missing_name');
  const description = text('description', fields.description, 4_000);
  const inputs = fields.inputs === undefined ? undefined : asObject('inputs', fields.inputs);
  return {
    name: name!.trim(),
    ...(description === undefined ? {} : { description }),
    ...(inputs === undefined ? {} : { inputs }),
    steps: validSteps(fields.steps, packs),
    metadata: validMetadata(fields.metadata),
  };
}

function validSteps(input: unknown, packs: PackRegistry): PipelineStep[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_STEPS)
    return refuse(`steps must be an array of 1 to ${MAX_STEPS}`, 'bad_steps');
  const earlier = new Set<string>();
  return input.map((each: unknown, at) => {
    const where = `step ${at + 1}`;
    const step = asObject(where, each, STEP_FIELDS);
    const { id, pack, version, input: template = {} } = step;
    if (typeof id !== 'string' || !STEP_ID.test(id) || earlier.has(id))
      return refuse(`${where} needs a unique id of letters, digits, _ and -`, 'bad_steps');
    if (typeof pack !== 'string' || (version !== undefined && typeof version !== 'string'))
      return refuse(`${where} needs a pack`, 'bad_steps');
    if (!packs.has(pack, version as string | undefined))
      refuse(`${where} names a pack or version that does not exist`, 'unknown_pack');
    for (const other of stepsReferredTo(template))
      if (!earlier.has(other))
        refuse(`${where} refers to a step that does not come before it`, 'bad_reference');
    earlier.add(id);
    return {
      id,
      pack,
      ...(version === undefined ? {} : { version: version as string }),
      input: asObject(`the input of ${where}`, template),
    };
  });
}

function validMetadata(input: unknown): PackMetadata {
  if (input === undefined) return {};
  const fields = asObject('metadata', input, METADATA_FIELDS);
  const problem = metadataProblem(fields);
  if (problem !== undefined) refuse(problem, 'bad_metadata');
  return fields as PackMetadata;
}

function text(field: string, value: unknown, maxChars: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= maxChars && value.isWellFormed()) return value;
  return refuse(`${field} must be a string of at most ${maxChars} characters`, 'bad_type');
}

function asObject(what: string, input: unknown, known?: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refuse(`${what} must be an object`, 'bad_type');
  const unknown = known && Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined)
    refuse(`${what} has the unknown field ${JSON.stringify(unknown.slice(0, 64))}`, 'unknown_field');
  return input as Record<string, unknown>;
}

function refuse(why: string, reason: string): never {
  throw new AppError('invalid_pipeline', `This pipeline cannot be used: ${why}.`, { reason });
}
