import { toAppError } from '../../errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { type CachedResult, cacheKey, meetingPoint, readCached, writeCached } from '../cached-results.ts';
import { createSharedFlights, type Lead } from '../cross-node-single-flight.ts';
import type { PackLogger } from '../pack/pack.ts';
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
  /** Held while other nodes wait for the result. */
  lead?: Lead;
}

/**
 * Answers repeated calls from what was kept, without a session and without the handler. Identical calls that come
 * together share one flight; it goes on as long as one of them still waits. A stale result is given out while a new
 * one is made. Where the store cannot be asked, the handler is. Nodes that share a store share flights as well.
 */
export function createCache(log: PackLogger): Interceptor {
  const flights = new Map<string, Flight>();
  const renewing = new Set<string>();
  const sharedFlights = createSharedFlights();
  const warn = ({ run }: Lookup, thrown: unknown, message: string) =>
    log.warn({ pack: run.pack.name, code: toAppError(thrown).code }, message);

  async function keep(lookup: Lookup, outcome: Outcome): Promise<boolean> {
    const { memory, run, key } = lookup;
    try {
      const kept = await writeCached(memory, run, key, outcome);
      if (!kept) log.info({ pack: run.pack.name }, 'a result was too large or too private to be cached');
      return kept;
    } catch (thrown) {
      warn(lookup, thrown, 'a result could not be cached');
      return false;
    }
  }

  function keepLater(lookup: Lookup, outcome: Outcome): Promise<void> {
    const kept = keep(lookup, outcome).then((isKept) => endLead(lookup, isKept));
    lookup.memory.pending.track(lookup.memory.directory.idOf(lookup.run.caller), kept);
    return kept;
  }

  /** Lets other nodes go on; they would anyway, a little later. */
  async function endLead({ lead }: Lookup, kept: boolean): Promise<void> {
    await lead?.end(kept).catch(() => {});
  }

  /** The kept result, or the handler's. */
  async function find(lookup: Lookup, signal: AbortSignal): Promise<Outcome> {
    const { memory, run, key, freshMs } = lookup;
    const ageOf = (cached: CachedResult) => memory.now() - cached.madeMs;
    const cached = await readCached(memory, run, key).catch((thrown) => {
      warn(lookup, thrown, 'the cache could not be asked');
      return undefined;
    });
    const made = cached ?? (await findElsewhere(lookup, signal));
    if (!made) return make(lookup, signal);
    if (ageOf(made) < freshMs) return served(made, 'hit', ageOf(made));
    renew(lookup);
    return served(made, 'stale', ageOf(made));
  }

  /** What another node is making right now; otherwise this one has the lead, or goes alone. */
  async function findElsewhere(lookup: Lookup, signal: AbortSignal): Promise<CachedResult | undefined> {
    const { memory, run, key } = lookup;
    try {
      const at = await meetingPoint(memory, key);
      if (!at) return undefined;
      const { lead, found } = await sharedFlights.board(at, () => readCached(memory, run, key), signal);
      lookup.lead = lead;
      return found;
    } catch {
      if (signal.aborted) throw cancelled();
      return undefined; // the cache's trouble was reported, or will be when the result cannot be kept
    }
  }

  async function make(lookup: Lookup, signal: AbortSignal): Promise<Outcome> {
    try {
      return { ...(await lookup.next({ ...lookup.run, signal })), cache: { status: 'miss', age_s: 0 } };
    } catch (thrown) {
      void endLead(lookup, false);
      throw thrown;
    }
  }

  /** Makes a new result although nobody waits for it; one at a time. */
  function renew(lookup: Lookup): void {
    const { name } = lookup;
    if (renewing.has(name)) return;
    renewing.add(name);
    makeAnew(lookup)
      .catch((thrown) => warn(lookup, thrown, 'a stale result was not renewed'))
      .finally(() => renewing.delete(name));
  }

  async function makeAnew(lookup: Lookup): Promise<void> {
    const { memory, run, key } = lookup;
    const at = await meetingPoint(memory, key).catch(() => undefined);
    const lead = at && (await sharedFlights.take(at));
    if (at && !lead) return; // another node does it
    const work = new AbortController(); // the deadline ends it, or the server's closing
    const detached: Run = { ...run, progress: () => {}, trail: { artifacts: [] } };
    const renewal = { ...lookup, run: detached, lead };
    await keepLater(renewal, await make(renewal, work.signal));
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
