import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  concurrentWrites,
  plaintextOnDisk,
  type Question,
  type Recall,
  recallAtTen,
  searchTimes,
  toolBytes,
} from './measure.ts';
import type { PeerFact } from './peer.ts';
import { PEERS, type Peer } from './roster.ts';
import { type PeerFigures, peerTable } from './table.ts';

// Runs Helmdeck and other memories of npm side by side: `npm run bench:peers [-- name …]`. Packages and results are
// kept; the tables of docs/benchmarks.md and README.md are written with them.

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '1000,10000,50000' },
    'fill-minutes': { type: 'string', default: '6' },
    only: { type: 'string' },
    data: { type: 'string', default: '../shared/recall/opsfacts.json' },
    write: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const ROOT = resolve(import.meta.dirname, '../..');

interface DataSet {
  namespaces: {
    facts: (PeerFact & { id: string })[];
    queries: { q: string; relevant: string[] }[];
  }[];
}

/** The data set of recall is not part of the repository; without it recall is not measured. */
function readDataSet(): { facts: PeerFact[]; questions: Question[] } | undefined {
  const path = resolve(ROOT, options.data);
  if (!existsSync(path)) return undefined;
  const { facts, queries } = (JSON.parse(readFileSync(path, 'utf8')) as DataSet).namespaces[0]!;
  const keyOf = new Map(facts.map(({ id, key }) => [id, key]));
  return {
    facts: facts.map(({ key, value, tags }) => ({ key, value, tags: tags ?? [] })),
    questions: queries.map(({ q, relevant }) => ({
      text: q,
      relevant: relevant.map((id) => keyOf.get(id)!),
    })),
  };
}

/** With `--only recall,writes` the other figures are those of the last run. */
const wants = (what: string) => options.only === undefined || options.only.split(',').includes(what);

async function measure(peer: Peer, last: Partial<PeerFigures>): Promise<PeerFigures> {
  const { name, version } = peer;
  const installed = peer.install();
  const subject = { peer, installed };
  const step = async <T>(
    what: string,
    kept: T | undefined,
    run: () => Promise<T>,
  ): Promise<T | undefined> => {
    if (!wants(what)) return kept;
    try {
      const result = await run();
      console.log(`${name}, ${what}: ${JSON.stringify(result)}`);
      return result;
    } catch (error) {
      console.log(`${name}, ${what}: failed: ${(error as Error).message}`);
      return undefined;
    }
  };
  const set = readDataSet();
  const recall = (kept: Recall | undefined, env?: Record<string, string>) =>
    step('recall', kept, async () => (set ? recallAtTen(subject, set.facts, set.questions, env) : undefined));
  const sizes = options.sizes.split(',').map(Number);
  const { folder: _, ...install } = installed;
  return {
    name,
    version,
    install,
    tools: await step('tools', last.tools, () => toolBytes(subject)),
    plaintext: await step('plaintext', last.plaintext, () => plaintextOnDisk(subject)),
    writes: await step('writes', last.writes, () => concurrentWrites(subject)),
    recall: await recall(last.recall),
    recallByMeaning:
      name === 'helmdeck'
        ? await recall(last.recallByMeaning, { HELMDECK_EMBEDDINGS_URL: 'builtin' })
        : undefined,
    search:
      (await step('search', last.search, () =>
        searchTimes(subject, sizes, 60_000 * Number(options['fill-minutes'])),
      )) ?? [],
  };
}

const figures: PeerFigures[] = [];
for (const peer of PEERS) {
  const kept = join(tmpdir(), `helmdeck-peers-${peer.name.replaceAll('/', '+')}.json`);
  const isWanted = positionals.length === 0 || positionals.some((part) => peer.name.includes(part));
  if (isWanted) {
    const last = existsSync(kept)
      ? (JSON.parse(readFileSync(kept, 'utf8')) as PeerFigures)
      : { load: undefined };
    const load = wants('search') ? loadavg()[0]! : last.load;
    const measured = { ...(await measure(peer, last)), load };
    writeFileSync(kept, JSON.stringify(measured));
  }
  // With names, the figures of the other peers are those of the last run on this machine.
  if (existsSync(kept)) figures.push(JSON.parse(readFileSync(kept, 'utf8')) as PeerFigures);
}
const day = new Date().toISOString().slice(0, 10);
const machine = `${day}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.versions.node}.`;
const table = `${machine}\n\n${peerTable(figures, false)}`;
console.log(table);
if (options.write) {
  writeBetweenMarks('docs/benchmarks.md', table);
  writeBetweenMarks('README.md', peerTable(figures, true));
}

/** Replaces what a page has between its two marks. */
function writeBetweenMarks(page: string, text: string): void {
  const [start, end] = ['<!-- bench:peers -->', '<!-- /bench:peers -->'];
  const before = readFileSync(join(ROOT, page), 'utf8');
  const [head, rest] = before.split(start) as [string, string];
  writeFileSync(join(ROOT, page), `${head}${start}\n\n${text}\n\n${end}${rest.split(end)[1]}`);
}
