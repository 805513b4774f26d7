import { BoundedMap } from '../../runtime/bounded-map.ts';
import { embeddedQuery } from '../text/embedded-query.ts';
import { type Embedder, toEmbeddingError } from './embedder.ts';
import { meanDirection } from './text-windows.ts';

export interface QueryVectorOptions {
  embedder: Embedder;
  now: () => number;
  /** How long a search waits for its vector at least. */
  budgetMs?: number;
}

export interface QueryVectors {
  /**
   * The vector of a query; `degraded` if there is none within the budget. Never throws. Cached per `owner`: a shared cache
   * would reveal by its speed what other callers searched for.
   */
  of(query: string, owner: string): Promise<Float32Array | 'degraded'>;
  /** Why the last attempt failed, or that the last ones were late; undefined if the embedder works. */
  problem(): string | undefined;
  /** Queries so far, and those that got no vector in time. */
  counts(): { queries: number; degraded: number };
}

/** How long a search waits for its vector, until the embedder has shown that a little more waiting pays. */
const QUERY_BUDGET_MS = 60;
/**
 * The budget of an embedder that is slow but reliable, such as an endpoint on another continent: this many vectors in a row
 * came, and the slowest of them took no longer than the budget over its margin. One miss ends it.
 */
export const MAX_QUERY_BUDGET_MS = 300;
const PROOF = 8;
const MARGIN = 1.5;
const MAX_CACHED_QUERIES = 256;
/** Longer queries are embedded, but not cached. */
const MAX_CACHED_UNITS = 1_000;
/** Concurrent queries to the embedder; more would only delay each other. */
const MAX_IN_FLIGHT = 32;
/**
 * The circuit breaker opens after this many misses in a row, errors or late vectors: searches no longer wait. After
 * `OPEN_MS` one query probes the embedder. One that is merely late is also tried meanwhile, but no search waits for it.
 */
const MAX_MISSES = 3;
const OPEN_MS = 10_000;

/** An attempt outlives its search by this much, so that a repeated query finds the vector in the cache. */
const ATTEMPT_TIMEOUT_MS = 5_000;
const LATE = 'Embedding the query took too long.';

interface Attempt {
  vector: Promise<Float32Array | 'degraded'>;
  /** Whether it was counted as a miss: an attempt counts once, however many searches wait for it. */
  isMissed: boolean;
}

/** Embeds queries within a time budget, with a cache and a circuit breaker: a slow search is worse than one without vectors. */
export function createQueryVectors({
  embedder,
  now,
  budgetMs: leastBudgetMs = QUERY_BUDGET_MS,
}: QueryVectorOptions): QueryVectors {
  const cache = new BoundedMap<string, Float32Array>(MAX_CACHED_QUERIES);
  const inFlight = new Map<string, Attempt>();
  /** How long the last vectors took, late ones included. */
  let tookMs: number[] = [];
  let misses = 0;
  let openUntilMs = 0;
  let problem: string | undefined;
  const counts = { queries: 0, degraded: 0 };

  function budgetMs(): number {
    const wantedMs = MARGIN * Math.max(...tookMs);
    const isProven = tookMs.length === PROOF && wantedMs <= MAX_QUERY_BUDGET_MS;
    return isProven ? Math.max(leastBudgetMs, wantedMs) : leastBudgetMs;
  }

  function miss(attempt: Attempt, why: string): 'degraded' {
    if (attempt.isMissed) return 'degraded';
    attempt.isMissed = true;
    problem = why;
    tookMs = [];
    if (++misses >= MAX_MISSES) openUntilMs = now() + OPEN_MS;
    return 'degraded';
  }

  /** A late vector proves nothing by itself: if every vector were late, every search would wait in vain. */
  function arrived(afterMs: number): void {
    tookMs = [...tookMs, afterMs].slice(-PROOF);
    if (afterMs > budgetMs()) return;
    misses = 0;
    problem = undefined;
  }

  async function embed(
    query: string,
    cacheKey: string,
    attempt: Attempt,
  ): Promise<Float32Array | 'degraded'> {
    const startMs = performance.now();
    try {
      const vectors = await embedder.embed(
        embeddedQuery(query),
        'query',
        AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      );
      const vector = meanDirection(vectors);
      arrived(performance.now() - startMs);
      if (cacheKey.length <= MAX_CACHED_UNITS) cache.set(cacheKey, vector);
      return vector;
    } catch (thrown) {
      return miss(attempt, toEmbeddingError(thrown).message);
    } finally {
      inFlight.delete(cacheKey);
    }
  }

  function start(query: string, cacheKey: string): Attempt {
    const attempt: Attempt = { vector: Promise.resolve('degraded'), isMissed: false };
    inFlight.set(cacheKey, attempt);
    attempt.vector = embed(query, cacheKey, attempt);
    return attempt;
  }

  /** Joins or starts the attempt that a search waits for; undefined if it should go by words at once. */
  function attemptFor(query: string, cacheKey: string): Attempt | undefined {
    const isOpen = misses >= MAX_MISSES && (now() < openUntilMs || inFlight.size > 0);
    if (isOpen) {
      if (inFlight.size === 0 && problem === LATE) start(query, cacheKey);
      return undefined;
    }
    const shared = inFlight.get(cacheKey);
    if (shared || inFlight.size >= MAX_IN_FLIGHT) return shared;
    return start(query, cacheKey);
  }

  async function withinBudget(attempt: Attempt): Promise<Float32Array | 'degraded'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'degraded'>((resolve) => {
      timer = setTimeout(() => resolve(miss(attempt, LATE)), budgetMs());
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
    // A single late vector, as while the model loads, is not worth telling an operator.
    problem: () => (problem === LATE && misses < MAX_MISSES ? undefined : problem),
    counts: () => ({ ...counts }),
  };
}
