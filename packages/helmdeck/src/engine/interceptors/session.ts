import { AppError } from '../../errors.ts';
import { endSession, openSession, touchSession } from '../../memory/facts/sessions.ts';
import type { Interceptor } from '../run.ts';

/** Runs inside the session that was named, or inside one of its own where the pack wants that. */
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
    // Left behind by a store that is away, it still expires; the run's own outcome matters more.
    await endSession(memory, session_id).catch(() => false);
  }
};
