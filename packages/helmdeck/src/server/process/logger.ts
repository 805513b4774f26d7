import pino from 'pino';
import type { RestLog } from '../../surfaces/rest/route.ts';

export interface Logger extends RestLog {
  flush(): void;
}

const FLUSH_INTERVAL_MS = 500;
const BUFFER_BYTES = 65_536;

/** Writes JSON lines to stderr; stdout is for the output of commands. Buffered, so that requests do not wait for the log. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
  });
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  setInterval(() => destination.flush(), FLUSH_INTERVAL_MS).unref();
  /** Warnings and errors are flushed at once. */
  const flushed = (level: 'warn' | 'error') => (fields: object, message: string) => {
    log[level](fields, message);
    destination.flush();
  };
  return {
    isEnabled: (level) => log.isLevelEnabled(level),
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: flushed('warn'),
    error: flushed('error'),
    flush: () => destination.flushSync(),
  };
}
