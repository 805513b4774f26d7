import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { type ContextParts, ExecutionContext } from './execution-context.ts';
import type { Pack } from './pack.ts';
import type { Next } from './run.ts';
import { runContext } from './run-context.ts';
import { toRunError } from './run-error.ts';

/** The last link: calls the handler and accepts only what its schema allows. */
export function createInvoke(parts: ContextParts): Next {
  return async (run) => {
    const { pack, trail } = run;
    const ec = new ExecutionContext(run, parts);
    try {
      trail.returned = await runContext.run({ pack: pack.name, runId: run.id }, () => pack.handler(ec));
    } catch (thrown) {
      throw toRunError(thrown, run);
    }
    const output = checkedOutput(pack, trail.returned);
    return trail.artifacts.length > 0 ? { output, artifacts: trail.artifacts } : { output };
  };
}

export function checkedOutput(pack: Pack, returned: unknown): unknown {
  const result = pack.output.safeParse(returned);
  if (result.success && isJson(result.data)) return result.data;
  const where = result.success ? 'it is not JSON' : describeIssue(result.error.issues[0]!);
  throw new AppError('invalid_output', `The pack ${pack.name} returned something it may not: ${where}.`);
}

/** What passed the schema must also survive the way to the caller. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** Where and what, never the value itself. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.').slice(0, 100);
  return `${path === '' ? '' : `${path}: `}${issue.message.slice(0, 300)}`;
}
