import { runContext } from '../../engine/run-context.ts';
import { errorFrames } from '../../errors.ts';
import type { Logger } from './logger.ts';

/**
 * Keeps a pack's stray rejection or exception from ending the server: it is logged with the pack's name, and everyone
 * else goes on. Anything else is a mistake of our own, after which nothing can be relied upon: the process ends.
 */
export function survivePacks(log: Logger): () => void {
  const onStray = (thrown: unknown) => {
    const run = runContext.getStore();
    const at = errorFrames(thrown);
    if (run) {
      log.error({ pack: run.pack, run: run.runId, at }, 'a pack left a failure behind');
      return;
    }
    log.error({ at }, 'an unexpected failure ends the server');
    log.flush();
    process.exit(1);
  };
  process.on('unhandledRejection', onStray);
  process.on('uncaughtException', onStray);
  return () => {
    process.off('unhandledRejection', onStray);
    process.off('uncaughtException', onStray);
  };
}
