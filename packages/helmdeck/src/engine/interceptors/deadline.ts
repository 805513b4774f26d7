import { AppError } from '../../errors.ts';
import type { Interceptor, Outcome } from '../run.ts';
import { cancelled } from '../run-error.ts';
import type { RunningRuns } from '../running-runs.ts';

/** One for all: a stack of its own would be most of what an abort costs. */
const RUN_IS_OVER = cancelled();

/** Ends a run when its time is over, its caller went away or the server closes, whether the handler obeys or not. */
export function createDeadline(closing: AbortSignal, running: RunningRuns): Interceptor {
  return (run, next) =>
    new Promise<Outcome>((resolve, reject) => {
      const over = new AbortController();
      const stop = (error: AppError) => {
        finish();
        over.abort(error);
        reject(error);
      };
      const onCancel = () => stop(cancelled());
      const onClose = () =>
        stop(new AppError('resource_exhausted', 'The server is closing.', { reason: 'closing' }));
      const timer = setTimeout(() => {
        const message = `The pack ${run.pack.name} took longer than ${run.pack.deadlineMs} ms.`;
        stop(new AppError('timeout', message, { reason: 'deadline' }));
      }, run.pack.deadlineMs);
      const forget = running.add(run, onCancel);
      const finish = () => {
        clearTimeout(timer);
        forget();
        run.signal.removeEventListener('abort', onCancel);
        closing.removeEventListener('abort', onClose);
      };
      if (run.signal.aborted) return onCancel();
      if (closing.aborted) return onClose();
      run.signal.addEventListener('abort', onCancel, { once: true });
      closing.addEventListener('abort', onClose, { once: true });
      next({ ...run, signal: over.signal })
        .then(resolve, reject)
        .finally(() => {
          finish();
          over.abort(RUN_IS_OVER); // what the handler left behind has nothing to go on with
        });
    });
}
