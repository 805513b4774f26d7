import { AppError } from '../../errors.ts';
import { endSession, openSession, touchSession } from '../../memory/facts/sessions.ts';
import type { Interceptor } from '../run.ts';

/** Runs the pack in the session that was named, or in a temporary one if the pack declares `session`. */
export const session: Interceptor = async (run, next) => {
  if (run.session === undefined && !run.pack.ownSession) return next(run);
  const { memory } = run;
  if (!memory) {
    throw new AppError('session_unavailable', 'Sessions need memory, and memory is off.', {
      reason: 'memory_off',
      hint: 'Run "helmdeck doctor" on the server.',
    });
  }
  if (run.session !== undefined) {
    await touchSession(memory, run.session);
    return { ...(await next(run)), session: run.session };
  }
  const { session_id } = await openSession(memory);
  try {
    return await next({ ...run, session: session_id });
  } finally {
    // If the store is unavailable the session expires by itself; the run's outcome matters more.
    await endSession(memory, session_id).catch(() => false);
  }
};
