import { ApiError } from './call-api.ts';
import { changeFacts, forgetFact, isRecordKey, type Whose } from './fact-api.ts';

interface Waiting {
  key: string;
  /** The space it is in; undefined for one's own memory. */
  space: string | undefined;
  done(): void;
  fail(error: unknown): void;
}

/** As many as the server forgets in one call. */
const BATCH = 500;
let waiting: Waiting[] = [];

/**
 * Forgets a fact; those that are forgotten in the same turn go out as one call. While the page is being closed each
 * goes alone: a request that outlives its page may have only a small body.
 */
export async function forgetTogether(key: string, options: Whose & { keepalive: boolean }): Promise<void> {
  if (options.keepalive || options.caller !== undefined || isRecordKey(key)) {
    await forgetFact(key, options);
    return;
  }
  const sent = new Promise<void>((done, fail) => waiting.push({ key, space: options.space, done, fail }));
  if (waiting.length === 1) queueMicrotask(() => void sendAll());
  await sent;
}

async function sendAll(): Promise<void> {
  const all = waiting;
  waiting = [];
  for (const [space, facts] of Map.groupBy(all, (one) => one.space))
    for (let at = 0; at < facts.length; at += BATCH) await sendBatch(facts.slice(at, at + BATCH), space);
}

async function sendBatch(batch: readonly Waiting[], space: string | undefined): Promise<void> {
  try {
    const keys = batch.map(({ key }) => key);
    const { failed } =
      keys.length === 1
        ? await forgetFact(keys[0]!, { space }).then(() => ({ failed: [] }))
        : await changeFacts({ keys, forget: true, confirm: true }, space);
    for (const [at, { done, fail }] of batch.entries()) {
      const failure = failed.find(({ index }) => index === at);
      if (failure) fail(new ApiError(400, failure));
      else done();
    }
  } catch (thrown) {
    for (const { fail } of batch) fail(thrown);
  }
}
