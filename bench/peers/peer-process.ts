import { makeFact, makeQuestion } from '../made-up-facts.ts';
import type { PeerFact, PeerMemory, PeerPlace } from './peer.ts';
import { PEERS } from './roster.ts';

// One program that uses a peer, driven by messages of bench/peers/all.ts: [method, argument], answered in order.

const [peerName, installed, place] = process.argv.slice(2) as [string, string, string];
const { open } = PEERS.find(({ name }) => name === peerName)!;
let opened: PeerMemory | undefined;
const memory = async () => {
  opened ??= await open(JSON.parse(place) as PeerPlace, installed);
  return opened;
};
/** Facts go in in lists of this length. */
const LIST_LENGTH = 500;

const METHODS = {
  open: async () => void (await memory()),
  close: async () => (await memory()).close(),
  keys: async () => (await memory()).keys(),
  forget: async (key: string) => (await memory()).forget(key),
  tools: async () => (await memory()).tools?.(),
  storeMany: async (facts: PeerFact[]) => (await memory()).storeMany(facts),
  /** Stores one after another; returns the keys of those that were confirmed. */
  async storeEach(facts: PeerFact[]) {
    const peer = await memory();
    const confirmed: string[] = [];
    let failure = '';
    for (const fact of facts) {
      try {
        await peer.store(fact);
        confirmed.push(fact.key);
      } catch (error) {
        failure ||= String(error).slice(0, 200);
      }
    }
    return { confirmed, failure };
  },
  /** Stores made-up facts up to a number, or until time is up; returns how many there are then. */
  async fill({ from, to, limitMs }: { from: number; to: number; limitMs: number }) {
    const peer = await memory();
    const endMs = Date.now() + limitMs;
    let next = from;
    while (next < to && Date.now() < endMs) {
      const last = Math.min(to, next + LIST_LENGTH);
      await peer.storeMany(Array.from({ length: last - next }, (_, index) => makeFact(next + index)));
      next = last;
    }
    return next;
  },
  /** How long searches take, in milliseconds, after some that are not measured. */
  async searchTimes({ facts, count }: { facts: number; count: number }) {
    const peer = await memory();
    const times: number[] = [];
    for (let number = -10; number < count; number++) {
      const query = makeQuestion(number + 10, facts);
      const startMs = performance.now();
      await peer.search(query, 10);
      if (number >= 0) times.push(performance.now() - startMs);
    }
    return times;
  },
  async searches({ queries, byWord }: { queries: string[]; byWord: boolean }) {
    const peer = await memory();
    if (byWord && !peer.searchByWord) return undefined;
    const found: string[][] = [];
    for (const query of queries)
      found.push(await (byWord ? peer.searchByWord!(query, 10) : peer.search(query, 10)));
    return found;
  },
};

process.on('message', async ([method, argument]: [keyof typeof METHODS, never]) => {
  try {
    process.send!({ result: await METHODS[method](argument) });
  } catch (error) {
    process.send!({ error: error instanceof Error ? error.message : String(error) });
  }
});
