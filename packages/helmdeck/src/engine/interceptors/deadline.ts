import { AppError } from '../../errors.ts';
import type { Interceptor, Outcome } from '../run.ts';
import { cancelled } from '../run-error.ts';
import type { RunningRuns } from '../running-runs.ts';

/** Shared, because capturing a stack trace per run would be most of the cost of an abort. */
const RUN_IS_OVER = cancelled();

/** Ends a run at its deadline, on cancellation and on shutdown, whether or not the handler honours the signal. */
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
      const unregister = running.add(run, onCancel);
      const finish = () => {
        clearTimeout(timer);
        unregister();
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
          over.abort(RUN_IS_OVER); // work that the handler left behind stops, too
        });
    });
}
