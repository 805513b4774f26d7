import { AppError } from '../../errors.ts';
import { assertShallow } from '../json-depth.ts';
import { PIPELINE_RUN_POLICY } from './live-run.ts';

const PLACEHOLDER = /^\{\{[A-Z][A-Z0-9_]*\}\}$/;

/** Validates the inputs of a run: an object, and no placeholder such as `{{NAME}}` that was not filled in. */
export function validInputs(given: unknown): Record<string, unknown> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw refusal('inputs must be an object');
  assertShallow(given);
  if (JSON.stringify(given).length > PIPELINE_RUN_POLICY.maxInputChars)
    throw new AppError('payload_too_large', 'inputs are larger than 256 KiB.');
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && PLACEHOLDER.test(value.trim()))
      throw refusal(`the input ${JSON.stringify(name.slice(0, 64))} is a placeholder that was not filled in`);
  }
  return given as Record<string, unknown>;
}

const refusal = (why: string) =>
  new AppError('invalid_input', `The pipeline cannot run: ${why}.`, { reason: 'bad_inputs' });
