import { toAppError } from '../../errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { type CachedResult, cacheKey, flightIdOf, readCached, writeCached } from '../cached-results.ts';
import { createCrossNodeFlights, type FlightLease } from '../cross-node-single-flight.ts';
import type { PackLogger } from '../pack/pack.ts';
import type { Interceptor, Next, Outcome, Run } from '../run.ts';
import { cancelled } from '../run-error.ts';

/** One execution that several identical calls wait for. */
interface Flight {
  result: Promise<Outcome>;
  /** When the handler returned; undefined until then. */
  madeMs?: number;
  waiters: number;
  /** Aborted when the last waiter has gone. */
  work: AbortController;
}

/** One call and what it takes to look it up. */
interface Lookup {
  memory: Memory;
  run: Run;
  /** Of the cached result, in the caller's namespace. */
  key: string;
  /** The key together with the caller, unique in this process. */
  flightKey: string;
  maxAgeMs: number;
  next: Next;
  /** Held while other nodes wait for the result. */
  lease?: FlightLease;
}

/**
 * Read-through cache with single flight and stale-while-revalidate: a hit needs neither session nor handler. Identical
 * concurrent calls share one flight, which is cancelled when the last of them has gone. If the cache cannot be read, the
 * handler runs. Nodes that share a store share flights as well.
 */
export function createCache(log: PackLogger): Interceptor {
  const results = createResultCache(log);
  const flights = new Map<string, Flight>();

  /** A flight stays joinable until its result can be read from the cache. */
  function startFlight(lookup: Lookup): Flight {
    const { memory, flightKey } = lookup;
    const work = new AbortController();
    const flight: Flight = { result: results.readThrough(lookup, work.signal), waiters: 0, work };
    const remove = () => void (flights.get(flightKey) === flight && flights.delete(flightKey));
    flight.result
      .then((outcome) => {
        flight.madeMs = memory.now();
        return outcome.cache?.status === 'miss' ? results.write(lookup, outcome) : undefined;
      })
      .then(remove, remove);
    flights.set(flightKey, flight);
    return flight;
  }

  async function joinOrStart(lookup: Lookup): Promise<Outcome> {
    const { memory, run, flightKey, maxAgeMs } = lookup;
    const flight = flights.get(flightKey);
    const ageMs = () => Math.max(0, memory.now() - (flight?.madeMs ?? memory.now()));
    // An aborted flight lost its last waiter and is about to be removed.
    if (!flight || flight.work.signal.aborted || ageMs() >= maxAgeMs)
      return join(startFlight(lookup), run.signal);
    const outcome = await join(flight, run.signal);
    return outcome.cache?.status === 'miss'
      ? { ...outcome, cache: { status: 'hit', age_s: seconds(ageMs()) } }
      : outcome;
  }

  return async (run, next) => {
    const { memory } = run;
    const policy = run.pack.memory.cache;
    if (!policy || !memory) return next(run);
    const key = cacheKey(run);
    const flightKey = memory.directory.idOf(memory.caller).toString('latin1') + key + spaceRights(run);
    const lookup = { memory, run, key, flightKey, maxAgeMs: policy.ttlSeconds * 1000, next };
    if (!run.noCache) return joinOrStart(lookup);
    const outcome = await next(run);
    void results.write(lookup, outcome);
    return { ...outcome, cache: { status: 'bypass', age_s: 0 } };
  };
}

/** What the token may do in spaces: calls that may differ in it must not share a result. */
function spaceRights({ scopes, spaceAccess }: Run): string {
  if (!spaceAccess) return '';
  const { spaces } = spaceAccess;
  return JSON.stringify([[...scopes].sort(), spaces ? [...spaces].sort() : null]);
}

/** Waits for a flight. A caller that cancels leaves the other waiters alone; the last one to go stops the work. */
function join(flight: Flight, signal: AbortSignal): Promise<Outcome> {
  flight.waiters++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      if (--flight.waiters === 0) flight.work.abort(cancelled());
      reject(cancelled());
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    flight.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

interface ResultCache {
  /** The cached result, the result of a flight on another node, or the handler's. */
  readThrough(lookup: Lookup, signal: AbortSignal): Promise<Outcome>;
  /** Caches a result; never rejects, and is tracked as a pending write. */
  write(lookup: Lookup, outcome: Outcome): Promise<void>;
}

function createResultCache(log: PackLogger): ResultCache {
  const revalidating = new Set<string>();
  const nodeFlights = createCrossNodeFlights();
  const warn = ({ run }: Lookup, thrown: unknown, message: string) =>
    log.warn({ pack: run.pack.name, code: toAppError(thrown).code }, message);

  async function tryWrite(lookup: Lookup, outcome: Outcome): Promise<boolean> {
    const { memory, run, key } = lookup;
    if (run.trail.namedSpace) return false;
    try {
      const isCached = await writeCached(memory, run, key, outcome);
      if (!isCached)
        log.info({ pack: run.pack.name }, 'a result was not cached: too large, or it contains a credential');
      return isCached;
    } catch (thrown) {
      warn(lookup, thrown, 'a result could not be cached');
      return false;
    }
  }

  function write(lookup: Lookup, outcome: Outcome): Promise<void> {
    const written = tryWrite(lookup, outcome).then((isCached) => releaseLease(lookup, isCached));
    lookup.memory.pending.track(lookup.memory.directory.idOf(lookup.run.caller), written);
    return written;
  }

  async function readThrough(lookup: Lookup, signal: AbortSignal): Promise<Outcome> {
    const { memory, run, key, maxAgeMs } = lookup;
    const cached = await readCached(memory, run, key).catch((thrown) => {
      warn(lookup, thrown, 'the cache could not be read');
      return undefined;
    });
    const result = cached ?? (await waitForOtherNode(lookup, signal));
    if (!result) return execute(lookup, signal);
    const ageMs = memory.now() - result.madeMs;
    if (ageMs < maxAgeMs) return toOutcome(result, 'hit', ageMs);
    revalidate(lookup);
    return toOutcome(result, 'stale', ageMs);
  }

  /** The result of a flight on another node; otherwise this node takes the lease, or executes without one. */
  async function waitForOtherNode(lookup: Lookup, signal: AbortSignal): Promise<CachedResult | undefined> {
    const { memory, run, key } = lookup;
    try {
      const flight = await flightIdOf(memory, key);
      if (!flight) return undefined;
      const { lease, result } = await nodeFlights.leadOrWait(
        flight,
        () => readCached(memory, run, key),
        signal,
      );
      lookup.lease = lease;
      return result;
    } catch {
      if (signal.aborted) throw cancelled();
      return undefined; // a failing cache has been logged, or will be when the result cannot be written
    }
  }

  async function execute(lookup: Lookup, signal: AbortSignal): Promise<Outcome> {
    try {
      return { ...(await lookup.next({ ...lookup.run, signal })), cache: { status: 'miss', age_s: 0 } };
    } catch (thrown) {
      void releaseLease(lookup, false);
      throw thrown;
    }
  }

  /** Replaces a stale result in the background, once at a time. */
  function revalidate(lookup: Lookup): void {
    const { flightKey } = lookup;
    if (revalidating.has(flightKey)) return;
    revalidating.add(flightKey);
    executeDetached(lookup)
      .catch((thrown) => warn(lookup, thrown, 'a stale result could not be revalidated'))
      .finally(() => revalidating.delete(flightKey));
  }

  async function executeDetached(lookup: Lookup): Promise<void> {
    const { memory, run, key } = lookup;
    const flight = await flightIdOf(memory, key).catch(() => undefined);
    const lease = flight && (await nodeFlights.tryLead(flight));
    if (flight && !lease) return; // another node does it
    const work = new AbortController(); // never aborted here: the deadline or the server's shutdown ends the run
    const detached: Run = { ...run, progress: () => {}, trail: { artifacts: [] } };
    const revalidation = { ...lookup, run: detached, lease };
    await write(revalidation, await execute(revalidation, work.signal));
  }

  return { readThrough, write };
}

/** Best effort: without it the other nodes wait until the lease expires. */
async function releaseLease({ lease }: Lookup, isCached: boolean): Promise<void> {
  await lease?.release(isCached).catch(() => {});
}

function toOutcome(
  { output, artifacts, external }: CachedResult,
  status: 'hit' | 'stale',
  ageMs: number,
): Outcome {
  const made = { output, ...(artifacts ? { artifacts } : {}), ...(external ? { external } : {}) };
  return { ...made, cache: { status, age_s: seconds(ageMs) } };
}

const seconds = (ms: number) => Math.floor(ms / 1000);
