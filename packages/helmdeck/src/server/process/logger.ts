import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import type { RestLog } from '../../surfaces/rest/route.ts';

export interface Logger extends RestLog {
  /** Resolves once everything is written, or cannot be: stderr may be a terminal that was closed, or a pipe nothing reads. */
  flush(): Promise<void>;
}

/** What an embedding program may pass as its log: `console`, a pino logger, or a whole `RestLog`. */
export type ProgramLog = Omit<RestLog, 'isEnabled'> & Partial<Pick<RestLog, 'isEnabled'>>;

const FLUSH_INTERVAL_MS = 500;
const BUFFER_BYTES = 65_536;
const MAX_FLUSH_MS = 2_000;

/** Writes JSON lines to stderr; stdout is for the output of commands. Buffered, so that requests do not wait for the log. */
export function createLogger(level: string): Logger {
  const destination = pino.destination({
    fd: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
  });
  const log = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  let isLost = false;
  // A server goes on without its log. At the exit, or in flushSync(), pino would try to write the rest for ever.
  destination.on('error', () => {
    if (isLost) return;
    isLost = true;
    log.level = 'silent';
    destination.destroy();
  });
  const startFlush = (done?: () => void) => (isLost ? done?.() : destination.flush(done));
  setInterval(() => startFlush(), FLUSH_INTERVAL_MS).unref();
  /** Warnings and errors are flushed at once. */
  const flushed = (level: 'warn' | 'error') => (fields: object, message: string) => {
    log[level](fields, message);
    startFlush();
  };
  return {
    isEnabled: (level) => log.isLevelEnabled(level),
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: flushed('warn'),
    error: flushed('error'),
    flush: () =>
      Promise.race([new Promise<void>(startFlush), delay(MAX_FLUSH_MS, undefined, { ref: false })]),
  };
}

/** Completes the log of an embedding program: without an `isEnabled` of its own, the configured level decides what it gets. */
export function toRestLog(log: ProgramLog, level: string): RestLog {
  if (log.isEnabled) return log as RestLog;
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY; // "silent" is not a pino level
  const enabled = (each: keyof ProgramLog) => pino.levels.values[each]! >= least;
  const forward = (each: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (enabled(each)) log[each](fields, message);
  };
  return {
    isEnabled: enabled,
    debug: forward('debug'),
    info: forward('info'),
    warn: forward('warn'),
    error: forward('error'),
  };
}
