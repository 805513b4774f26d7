import { type Embedder, toEmbeddingError } from './embedder.ts';

export interface QueryVectorOptions {
  embedder: Embedder;
  now: () => number;
  /** How long a search waits for the vector of its query. */
  budgetMs?: number;
}

export interface QueryVectors {
  /**
   * The vector of a query, or `degraded` when there is none in time; never throws. `owner` keeps the memory of one caller's
   * queries from answering another one sooner, which would tell what was asked.
   */
  of(query: string, owner: string): Promise<Float32Array | 'degraded'>;
  /** Why the last attempt failed; undefined when it did not. */
  problem(): string | undefined;
}

const BUDGET_MS = 300;
const REMEMBERED = 256;
/** A longer query is embedded, but not remembered. */
const MAX_REMEMBERED_UNITS = 1_000;
/** How many queries wait for the embedder at once; more would only make each other late. */
const MAX_RUNNING = 32;
/** After so many failures in a row nobody waits for it for a while; then one query tries. */
const MAX_FAILURES = 3;
const REST_MS = 10_000;

/** An attempt that nobody waits for any more goes on so long: for the next one who asks the same. */
const PATIENCE_MS = 5_000;

interface Attempt {
  vector: Promise<Float32Array | 'degraded'>;
  /** Counted as a failure, so that many who wait for it, or an error later on, do not count again. */
  hasFailed: boolean;
}

/** Embeds queries in time, or not at all: a search that has to wait is worse than one without vectors. */
export function createQueryVectors({
  embedder,
  now,
  budgetMs = BUDGET_MS,
}: QueryVectorOptions): QueryVectors {
  const remembered = new Map<string, Float32Array>();
  const running = new Map<string, Attempt>();
  let failures = 0;
  let restUntilMs = 0;
  let problem: string | undefined;

  function fail(attempt: Attempt, why: string): 'degraded' {
    if (attempt.hasFailed) return 'degraded';
    attempt.hasFailed = true;
    problem = why;
    if (++failures >= MAX_FAILURES) restUntilMs = now() + REST_MS;
    return 'degraded';
  }

  function remember(name: string, vector: Float32Array): void {
    if (name.length > MAX_REMEMBERED_UNITS) return;
    remembered.delete(name);
    remembered.set(name, vector);
    if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value!);
  }

  async function embed(query: string, name: string, attempt: Attempt): Promise<Float32Array | 'degraded'> {
    try {
      const [vector] = await embedder.embed([query], 'query', AbortSignal.timeout(PATIENCE_MS));
      failures = 0; // however late: it is there again
      problem = undefined;
      remember(name, vector!);
      return vector!;
    } catch (thrown) {
      return fail(attempt, toEmbeddingError(thrown).message);
    } finally {
      running.delete(name);
    }
  }

  /** Undefined while it rests, or while enough wait already. */
  function attemptFor(query: string, name: string): Attempt | undefined {
    const others = running.get(name);
    if (others) return others;
    const isResting = failures >= MAX_FAILURES && (now() < restUntilMs || running.size > 0);
    if (isResting || running.size >= MAX_RUNNING) return undefined;
    const attempt: Attempt = { vector: Promise.resolve('degraded'), hasFailed: false };
    running.set(name, attempt);
    attempt.vector = embed(query, name, attempt);
    return attempt;
  }

  async function inTime(attempt: Attempt): Promise<Float32Array | 'degraded'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'degraded'>((resolve) => {
      timer = setTimeout(() => resolve(fail(attempt, 'The vector of a query came too late.')), budgetMs);
    });
    return Promise.race([attempt.vector, late]).finally(() => clearTimeout(timer));
  }

  return {
    async of(query, owner) {
      const name = `${owner}\u0000${query}`;
      const known = remembered.get(name);
      if (known) {
        remember(name, known);
        return known;
      }
      const attempt = attemptFor(query, name);
      return attempt ? inTime(attempt) : 'degraded';
    },
    problem: () => problem,
  };
}
