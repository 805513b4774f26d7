import { AsyncLocalStorage } from 'node:async_hooks';

/** The run that the current code belongs to: tells an unhandled rejection in a pack from one in Helmdeck itself. */
export const runContext = new AsyncLocalStorage<{ pack: string; runId: string }>();
