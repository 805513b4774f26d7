import pino from 'pino';
import type { RestLog } from '../../surfaces/rest/route.ts';

export interface Logger extends RestLog {
  flush(): void;
}

const FLUSH_MS = 500;
const BUFFER_BYTES = 65_536;

/** JSON lines on stderr, so that stdout stays free for what a person asked for. Buffered: a request must not wait for a log. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
  });
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  /** What an operator must see is written at once. */
  const loud = (level: 'warn' | 'error') => (fields: object, message: string) => {
    log[level](fields, message);
    destination.flush();
  };
  return {
    isEnabled: (level) => log.isLevelEnabled(level),
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: loud('warn'),
    error: loud('error'),
    flush: () => destination.flushSync(),
  };
}
