import { AppError } from '../../errors.ts';
import { assertShallow } from '../json-depth.ts';
import { describeIssue } from '../pack/invoke.ts';
import type { Interceptor, Run } from '../run.ts';
import { toRunError } from '../run-error.ts';

/** Validates the input against the pack's schema. The output is validated in `invoke`, before it is cached. */
export const validate: Interceptor = async (run, next) => {
  assertShallow(run.input);
  const result = parsed(run);
  if (result.success) return next({ ...run, input: result.data });
  const issue = result.error.issues[0]!;
  throw new AppError('invalid_input', `${describeIssue(issue)}.`, {
    reason: issue.code === 'unrecognized_keys' ? 'unknown_field' : 'bad_type',
    hint: 'Its input schema says what it accepts.',
  });
};

/** A schema can contain the pack author's code, which can throw. */
function parsed(run: Run) {
  try {
    return run.pack.input.safeParse(run.input);
  } catch (thrown) {
    throw toRunError(thrown, run);
  }
}
