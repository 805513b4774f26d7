import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Next } from '../run.ts';
import { runContext } from '../run-context.ts';
import { toRunError } from '../run-error.ts';
import { type ContextParts, ExecutionContext } from './execution-context.ts';
import { PACK_LIMITS, type Pack } from './pack.ts';

/** The innermost handler: calls the pack and validates its output. */
export function createInvoke(parts: ContextParts): Next {
  return async (run) => {
    const { pack, trail } = run;
    const ec = new ExecutionContext(run, parts);
    try {
      trail.returned = await runContext.run({ pack: pack.name, runId: run.id }, () => pack.handler(ec));
      const output = checkedOutput(pack, trail.returned);
      return {
        output,
        ...(trail.artifacts.length > 0 ? { artifacts: trail.artifacts } : {}),
        ...(trail.fetched ? { external: true } : {}),
      };
    } catch (thrown) {
      throw toRunError(thrown, run);
    }
  };
}

export function checkedOutput(pack: Pack, returned: unknown): unknown {
  const result = pack.output.safeParse(returned);
  const chars = result.success ? jsonChars(result.data) : undefined;
  if (chars !== undefined && chars <= PACK_LIMITS.maxOutputChars) return result.data;
  if (chars !== undefined)
    throw new AppError('invalid_output', `The pack ${pack.name} returned more than 64 MiB.`, {
      reason: 'too_large',
      hint: 'Store it as artifacts, or return it in parts.',
    });
  const where = result.success ? 'it is not JSON' : describeIssue(result.error.issues[0]!);
  throw new AppError('invalid_output', `The pack ${pack.name} returned an invalid output: ${where}.`);
}

/** The length of a value as JSON; undefined if it cannot be serialised, which a schema does not guarantee. */
function jsonChars(value: unknown): number | undefined {
  try {
    return (JSON.stringify(value) as string | undefined)?.length;
  } catch {
    return undefined;
  }
}

/** Path and message of a schema issue, never the value itself. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.').slice(0, 100);
  return `${path === '' ? '' : `${path}: `}${issue.message.slice(0, 300)}`;
}
