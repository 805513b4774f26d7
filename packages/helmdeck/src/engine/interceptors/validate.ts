import { AppError } from '../../errors.ts';
import { assertShallow } from '../json-depth.ts';
import { describeIssue } from '../pack/invoke.ts';
import type { Interceptor, Run } from '../run.ts';
import { toRunError } from '../run-error.ts';

/** Lets in only what the pack's input schema allows. What comes out is checked beside the handler, before it is kept. */
export const validate: Interceptor = async (run, next) => {
  assertShallow(run.input);
  const result = parsed(run);
  if (result.success) return next({ ...run, input: result.data });
  const issue = result.error.issues[0]!;
  throw new AppError('invalid_input', `${describeIssue(issue)}.`, {
    reason: issue.code === 'unrecognized_keys' ? 'unknown_field' : 'bad_type',
    hint: `GET /api/v1/packs/${run.pack.name} has the schema.`,
  });
};

/** A schema may hold code of the pack's author, which may fail like any other. */
function parsed(run: Run) {
  try {
    return run.pack.input.safeParse(run.input);
  } catch (thrown) {
    throw toRunError(thrown, run);
  }
}
