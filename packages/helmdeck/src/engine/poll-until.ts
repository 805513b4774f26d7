import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 200;

/** Reads a value until it is done, for at most 15 seconds; returns the last one read. For work in another process. */
export async function pollUntil<T>(
  first: T,
  isDone: (value: T) => boolean,
  read: (last: T) => Promise<T>,
): Promise<T> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  let value = first;
  while (!isDone(value) && performance.now() < deadlineMs) {
    await sleep(POLL_INTERVAL_MS);
    value = await read(value);
  }
  return value;
}
