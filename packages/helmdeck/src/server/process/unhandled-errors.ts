import { runContext } from '../../engine/run-context.ts';
import { errorFrames } from '../../errors.ts';
import type { Logger } from './logger.ts';

/**
 * Handles unhandled rejections and uncaught exceptions. One that a pack caused is logged with the name of the pack, and
 * the server keeps running. Any other is a bug of Helmdeck that may have left an inconsistent state: the process exits.
 */
export function handleUnhandledErrors(log: Logger): () => void {
  const onUnhandled = (thrown: unknown) => {
    const run = runContext.getStore();
    const at = errorFrames(thrown);
    if (run) {
      log.error({ pack: run.pack, run: run.runId, at }, 'unhandled error in a pack');
      return;
    }
    log.error({ at }, 'unhandled error; the server exits');
    void log.flush().finally(() => process.exit(1));
  };
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  return () => {
    process.off('unhandledRejection', onUnhandled);
    process.off('uncaughtException', onUnhandled);
  };
}
