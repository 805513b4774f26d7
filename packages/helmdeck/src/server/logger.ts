import pino from 'pino';
import type { RestLog } from '../surfaces/rest/route.ts';

export interface Logger extends RestLog {
  flush(): void;
}

const FLUSH_MS = 500;

/** JSON lines on stderr, so that stdout stays free for what a person asked for. Buffered: a request must not wait for a log. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({ fd: 2, sync: false, minLength: 4096 });
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  return {
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    flush: () => destination.flushSync(),
  };
}
