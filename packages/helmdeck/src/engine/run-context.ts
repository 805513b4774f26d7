import { AsyncLocalStorage } from 'node:async_hooks';

/** Which run the current code belongs to: tells a stray rejection of a pack from a mistake of our own. */
export const runContext = new AsyncLocalStorage<{ pack: string; runId: string }>();
