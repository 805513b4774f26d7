import { toAppError } from '../../errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { type CachedResult, cacheKey, readCached, writeCached } from '../cached-results.ts';
import type { PackLogger } from '../pack.ts';
import type { Interceptor, Next, Outcome, Run } from '../run.ts';
import { cancelled } from '../run-error.ts';

/** One piece of work that several identical calls wait for. */
interface Flight {
  result: Promise<Outcome>;
  /** When the handler answered, once it has. */
  madeMs?: number;
  waiting: number;
  work: AbortController;
}

/** One call with all that belongs to it. */
interface Lookup {
  memory: Memory;
  run: Run;
  key: string;
  /** The key together with the caller, unique in this process. */
  name: string;
  freshMs: number;
  next: Next;
}

/**
 * Answers repeated calls from what was kept, without a session and without the handler. Identical calls that come
 * together share one flight; it goes on as long as one of them still waits. A stale result is given out while a new
 * one is made. Where the store cannot be asked, the handler is.
 */
export function createCache(log: PackLogger): Interceptor {
  const flights = new Map<string, Flight>();
  const renewing = new Set<string>();

  async function keep({ memory, run, key }: Lookup, outcome: Outcome): Promise<void> {
    try {
      const kept = await writeCached(memory, run, key, outcome);
      if (!kept) log.info({ pack: run.pack.name }, 'a result was too large or too private to be cached');
    } catch (thrown) {
      log.warn({ pack: run.pack.name, code: toAppError(thrown).code }, 'a result could not be cached');
    }
  }

  function keepLater(lookup: Lookup, outcome: Outcome): Promise<void> {
    const kept = keep(lookup, outcome);
    lookup.memory.pending.track(lookup.memory.directory.idOf(lookup.run.caller), kept);
    return kept;
  }

  /** The kept result, or the handler's. */
  async function find(lookup: Lookup, signal: AbortSignal): Promise<Outcome> {
    const { memory, run, key, freshMs, next } = lookup;
    const cached = await readCached(memory, run, key).catch((thrown) => {
      log.warn({ pack: run.pack.name, code: toAppError(thrown).code }, 'the cache could not be asked');
      return undefined;
    });
    if (!cached) return { ...(await next({ ...run, signal })), cache: { status: 'miss', age_s: 0 } };
    const ageMs = memory.now() - cached.madeMs;
    if (ageMs < freshMs) return served(cached, 'hit', ageMs);
    renew(lookup);
    return served(cached, 'stale', ageMs);
  }

  /** Makes a new result although nobody waits for it; one at a time. */
  function renew(lookup: Lookup): void {
    const { run, name, next } = lookup;
    if (renewing.has(name)) return;
    renewing.add(name);
    const work = new AbortController(); // the deadline ends it, or the server's closing
    const detached: Run = { ...run, signal: work.signal, progress: () => {}, trail: { artifacts: [] } };
    next(detached)
      .then((outcome) => keepLater(lookup, outcome))
      .catch((thrown) =>
        log.warn({ pack: run.pack.name, code: toAppError(thrown).code }, 'a stale result was not renewed'),
      )
      .finally(() => renewing.delete(name));
  }

  /** Begins a flight; it stays known until its result can be read back from the store. */
  function start(lookup: Lookup): Flight {
    const { memory, name } = lookup;
    const work = new AbortController();
    const flight: Flight = { result: find(lookup, work.signal), waiting: 0, work };
    const land = () => void (flights.get(name) === flight && flights.delete(name));
    flight.result
      .then((outcome) => {
        flight.madeMs = memory.now();
        return outcome.cache?.status === 'miss' ? keepLater(lookup, outcome) : undefined;
      })
      .then(land, land);
    flights.set(name, flight);
    return flight;
  }

  async function answer(lookup: Lookup): Promise<Outcome> {
    const { memory, run, name, freshMs } = lookup;
    const flying = flights.get(name);
    const ageMs = () => Math.max(0, memory.now() - (flying?.madeMs ?? memory.now()));
    // Everybody left a flight whose work was stopped; it only has not landed yet.
    if (!flying || flying.work.signal.aborted || ageMs() >= freshMs) return join(start(lookup), run.signal);
    const outcome = await join(flying, run.signal);
    return outcome.cache?.status === 'miss'
      ? { ...outcome, cache: { status: 'hit', age_s: seconds(ageMs()) } }
      : outcome;
  }

  return async (run, next) => {
    const { memory } = run;
    const policy = run.pack.memory.cache;
    if (!policy || !memory) return next(run);
    const key = cacheKey(run);
    const name = memory.directory.idOf(memory.caller).toString('latin1') + key;
    const lookup = { memory, run, key, name, freshMs: policy.ttlSeconds * 1000, next };
    if (!run.noCache) return answer(lookup);
    const outcome = await next(run);
    void keepLater(lookup, outcome);
    return { ...outcome, cache: { status: 'bypass', age_s: 0 } };
  };
}

/** Waits for a flight; whoever goes away leaves the others alone, and the last one stops the work. */
function join(flight: Flight, signal: AbortSignal): Promise<Outcome> {
  flight.waiting++;
  return new Promise((resolve, reject) => {
    const leave = () => {
      if (--flight.waiting === 0) flight.work.abort(cancelled());
      reject(cancelled());
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    flight.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function served({ output, artifacts }: CachedResult, status: 'hit' | 'stale', ageMs: number): Outcome {
  return { output, ...(artifacts ? { artifacts } : {}), cache: { status, age_s: seconds(ageMs) } };
}

const seconds = (ms: number) => Math.floor(ms / 1000);
