import { BoundedMap } from '../../runtime/bounded-map.ts';
import { type Embedder, toEmbeddingError } from './embedder.ts';

export interface QueryVectorOptions {
  embedder: Embedder;
  now: () => number;
  /** How long a search waits for its query vector. */
  budgetMs?: number;
}

export interface QueryVectors {
  /**
   * The vector of a query; `degraded` if there is none within the budget. Never throws. Cached per `owner`: a shared cache
   * would reveal by its speed what other callers searched for.
   */
  of(query: string, owner: string): Promise<Float32Array | 'degraded'>;
  /** Why the last attempt failed; undefined when it did not. */
  problem(): string | undefined;
  /** Queries so far, and those that got no vector in time. */
  counts(): { queries: number; degraded: number };
}

const BUDGET_MS = 300;
const MAX_CACHED_QUERIES = 256;
/** Longer queries are embedded, but not cached. */
const MAX_CACHED_UNITS = 1_000;
/** Concurrent queries to the embedder; more would only delay each other. */
const MAX_IN_FLIGHT = 32;
/** The circuit breaker opens after this many failures in a row; after `OPEN_MS` one query probes the embedder. */
const MAX_FAILURES = 3;
const OPEN_MS = 10_000;

/** An attempt outlives its search by this much, so that a repeated query finds the vector in the cache. */
const ATTEMPT_TIMEOUT_MS = 5_000;

interface Attempt {
  vector: Promise<Float32Array | 'degraded'>;
  /** Whether it was counted as a failure: an attempt counts once, however many searches wait for it. */
  hasFailed: boolean;
}

/** Embeds queries within a time budget, with a cache and a circuit breaker: a slow search is worse than one without vectors. */
export function createQueryVectors({
  embedder,
  now,
  budgetMs = BUDGET_MS,
}: QueryVectorOptions): QueryVectors {
  const cache = new BoundedMap<string, Float32Array>(MAX_CACHED_QUERIES);
  const inFlight = new Map<string, Attempt>();
  let failures = 0;
  let openUntilMs = 0;
  let problem: string | undefined;
  const counts = { queries: 0, degraded: 0 };

  function fail(attempt: Attempt, why: string): 'degraded' {
    if (attempt.hasFailed) return 'degraded';
    attempt.hasFailed = true;
    problem = why;
    if (++failures >= MAX_FAILURES) openUntilMs = now() + OPEN_MS;
    return 'degraded';
  }

  async function embed(
    query: string,
    cacheKey: string,
    attempt: Attempt,
  ): Promise<Float32Array | 'degraded'> {
    try {
      const [vector] = await embedder.embed([query], 'query', AbortSignal.timeout(ATTEMPT_TIMEOUT_MS));
      failures = 0; // even if late: the embedder works
      problem = undefined;
      if (cacheKey.length <= MAX_CACHED_UNITS) cache.set(cacheKey, vector!);
      return vector!;
    } catch (thrown) {
      return fail(attempt, toEmbeddingError(thrown).message);
    } finally {
      inFlight.delete(cacheKey);
    }
  }

  /** Joins or starts an attempt; undefined while the circuit is open or too many are in flight. */
  function attemptFor(query: string, cacheKey: string): Attempt | undefined {
    const shared = inFlight.get(cacheKey);
    if (shared) return shared;
    const isOpen = failures >= MAX_FAILURES && (now() < openUntilMs || inFlight.size > 0);
    if (isOpen || inFlight.size >= MAX_IN_FLIGHT) return undefined;
    const attempt: Attempt = { vector: Promise.resolve('degraded'), hasFailed: false };
    inFlight.set(cacheKey, attempt);
    attempt.vector = embed(query, cacheKey, attempt);
    return attempt;
  }

  async function withinBudget(attempt: Attempt): Promise<Float32Array | 'degraded'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'degraded'>((resolve) => {
      timer = setTimeout(() => resolve(fail(attempt, 'Embedding the query took too long.')), budgetMs);
    });
    return Promise.race([attempt.vector, late]).finally(() => clearTimeout(timer));
  }

  return {
    async of(query, owner) {
      const cacheKey = `${owner}\u0000${query}`;
      counts.queries++;
      const cached = cache.get(cacheKey);
      if (cached) return cached;
      const attempt = attemptFor(query, cacheKey);
      const vector = attempt ? await withinBudget(attempt) : 'degraded';
      if (vector === 'degraded') counts.degraded++;
      return vector;
    },
    problem: () => problem,
    counts: () => ({ ...counts }),
  };
}
