import { setTimeout as delay } from 'node:timers/promises';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-model/builtin-embedder.ts';
import type { Embedder } from '../../packages/helmdeck/src/recall/vectors/embedder.ts';
import { startEmbeddingsServer } from '../../test/support/embeddings-server.ts';
import type { Installed } from './install-peer.ts';
import type { PeerFact } from './peer.ts';
import { openHome } from './peer-home.ts';
import type { Peer } from './roster.ts';
import { hashedWords } from './stand-in-embeddings.ts';

const WRITERS = 8;
const WRITES_EACH = 25;
const SEARCHES = 100;
const MARKER = 'quagga-vermilion-7413';

export interface Writes {
  sent: number;
  confirmed: number;
  kept: number;
  failure: string;
}

/** Files with the text of a fact. */
export interface Plaintext {
  stored: string[];
  deleted: string[];
}

export interface SearchTimes {
  facts: number;
  fillSeconds: number;
  p50Ms?: number;
  p95Ms?: number;
  failure?: string;
}

export interface Question {
  text: string;
  relevant: string[];
}

/** The share of the right facts among the first ten, in percent. */
export interface Recall {
  whole: number;
  byWord?: number;
}

interface Subject {
  peer: Peer;
  installed: Installed;
}

/** Eight programs write at once, each one fact after another; then a ninth counts what is there. */
export async function concurrentWrites({ peer, installed }: Subject): Promise<Writes> {
  const embeddings = await startEmbeddingsServer(0, hashedWords());
  const home = await openHome(peer, installed, embeddings.url);
  try {
    const writers = Array.from({ length: WRITERS }, () => home.program());
    // One by one: starting together is another question than writing together.
    for (const writer of writers) await writer.call('open');
    const results = await Promise.all(
      writers.map((writer, number) =>
        writer.call<{ confirmed: string[]; failure: string }>('storeEach', writesOf(number)),
      ),
    );
    for (const writer of writers) await writer.stop();
    const keys = new Set(await home.program().call<string[]>('keys'));
    const confirmed = results.flatMap((result) => result.confirmed);
    return {
      sent: WRITERS * WRITES_EACH,
      confirmed: confirmed.length,
      kept: confirmed.filter((key) => keys.has(key)).length,
      failure: results.find(({ failure }) => failure !== '')?.failure ?? '',
    };
  } finally {
    await home.remove();
    await embeddings.close();
  }
}

const writesOf = (writer: number): PeerFact[] =>
  Array.from({ length: WRITES_EACH }, (_, number) => ({
    key: `writer-${writer}/fact-${number}`,
    value: `Program ${writer} stored its fact number ${number}.`,
    tags: ['bench'],
  }));

/** Stores a marker among other facts, and looks for it on the disk, then again after it was deleted. */
export async function plaintextOnDisk({ peer, installed }: Subject): Promise<Plaintext> {
  const embeddings = await startEmbeddingsServer(0, hashedWords());
  const home = await openHome(peer, installed, embeddings.url);
  try {
    const program = home.program();
    const marked = { key: 'bench/marker', value: `The word is ${MARKER}.`, tags: ['bench'] };
    for (const fact of [...writesOf(0), marked, ...writesOf(1)]) await program.call('storeMany', [fact]);
    await program.call('close');
    await home.stop();
    const stored = home.filesWith(MARKER);
    await home.start();
    const deleting = home.program();
    await deleting.call('forget', marked.key);
    const left = await deleting.call<string[]>('keys');
    if (left.includes(marked.key)) throw new Error(`${peer.name} still lists what was deleted`);
    await deleting.call('close');
    await home.stop();
    return { stored, deleted: home.filesWith(MARKER) };
  } finally {
    await home.remove();
    await embeddings.close();
  }
}

/** Fills one memory step by step, and searches it at each size; stops at the first that takes too long. */
export async function searchTimes(
  { peer, installed }: Subject,
  sizes: readonly number[],
  fillLimitMs: number,
): Promise<SearchTimes[]> {
  const embeddings = await startEmbeddingsServer(0, hashedWords());
  // Random words look like a credential or an instruction now and then.
  const env = { HELMDECK_GATE: 'open', HELMDECK_SECRET_GUARD: 'off' };
  const home = await openHome(peer, installed, embeddings.url, env);
  const measured: SearchTimes[] = [];
  try {
    const program = home.program();
    let filled = 0;
    for (const facts of sizes) {
      const startMs = performance.now();
      const seconds = () => (performance.now() - startMs) / 1000;
      try {
        filled = await program.call<number>('fill', { from: filled, to: facts, limitMs: fillLimitMs });
        const fillSeconds = seconds();
        if (filled < facts) {
          measured.push({
            facts,
            fillSeconds,
            failure: `${filled.toLocaleString('en')} facts stored in ${Math.round(fillLimitMs / 60_000)} minutes`,
          });
          break;
        }
        const times = await program.call<number[]>('searchTimes', { facts, count: SEARCHES });
        times.sort((a, b) => a - b);
        const at = (share: number) => times[Math.floor(times.length * share)]!;
        measured.push({ facts, fillSeconds, p50Ms: at(0.5), p95Ms: at(0.95) });
      } catch (error) {
        measured.push({ facts, fillSeconds: seconds(), failure: (error as Error).message.slice(0, 200) });
        break;
      }
    }
    return measured;
  } finally {
    await home.remove();
    await embeddings.close();
  }
}

/** Stores a data set and asks its questions; vectors, where a peer needs them, come from the built-in model. */
export async function recallAtTen(
  { peer, installed }: Subject,
  facts: readonly PeerFact[],
  questions: readonly Question[],
  env: Record<string, string> = {},
): Promise<Recall> {
  const model = createBuiltinEmbedder();
  await loaded(model);
  const embeddings = await startEmbeddingsServer(0, model);
  const home = await openHome(peer, installed, embeddings.url, env);
  try {
    const program = home.program();
    await program.call('storeMany', facts);
    await home.settled();
    const queries = questions.map(({ text }) => text);
    const score = (found: string[][]) => {
      const shares = questions.map(
        ({ relevant }, index) =>
          relevant.filter((key) => found[index]!.includes(key)).length / relevant.length,
      );
      return (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
    };
    const whole = score(await program.call<string[][]>('searches', { queries, byWord: false }));
    const byWord = await program.call<string[][] | undefined>('searches', { queries, byWord: true });
    return { whole, ...(byWord ? { byWord: score(byWord) } : {}) };
  } finally {
    await home.remove();
    await embeddings.close();
    await model.close();
  }
}

/** Loading the model may take longer than a first request is given. */
async function loaded(model: Embedder): Promise<void> {
  for (;;) {
    try {
      await model.embed(['a text'], 'document');
      return;
    } catch {
      await delay(1_000);
    }
  }
}

/** The size of the tools as JSON, of peers that are MCP servers. */
export async function toolBytes({
  peer,
  installed,
}: Subject): Promise<{ tools: number; bytes: number } | undefined> {
  const home = await openHome(peer, installed, 'http://127.0.0.1:9/v1');
  try {
    const tools = await home.program().call<object[] | undefined>('tools');
    return tools && { tools: tools.length, bytes: Buffer.byteLength(JSON.stringify(tools)) };
  } finally {
    await home.remove();
  }
}
