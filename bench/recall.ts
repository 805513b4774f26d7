import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import MiniSearch from 'minisearch';
import { rememberFact } from '../packages/helmdeck/src/memory/facts/remember.ts';
import type { Adviser } from '../packages/helmdeck/src/memory/facts/store-answer.ts';
import { type Memory, walkMemory } from '../packages/helmdeck/src/memory/memory.ts';
import { createImage } from '../packages/helmdeck/src/recall/image/image.ts';
import { listen } from '../packages/helmdeck/src/server/http/listen.ts';
import { measureBacklog } from './embedding-backlog.ts';
import { get, load } from './load.ts';
import { type MadeUpFact, makeFact, makeQuestion } from './made-up-facts.ts';
import { printQuality } from './recall-quality.ts';
import { caller, fill, questionAt, startRecall } from './recall-server.ts';
import { compareKernels } from './vector-kernel.ts';

// Measures recall over encrypted rows beside a decrypting scan, and SQLite's FTS5 and MiniSearch over plain text.
// Before that, how good the ranking is; --quality prints that alone, --data <file.json> adds a set.
// With --kernel: the two kernels of vector search beside each other. With --backlog: searches while facts are embedded.

const { values: options } = parseArgs({
  options: {
    from: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '1000000' },
    questions: { type: 'string', default: '1000' },
    quality: { type: 'boolean', default: false },
    data: { type: 'string', multiple: true, default: [] },
    kernel: { type: 'boolean', default: false },
    backlog: { type: 'boolean', default: false },
  },
});
const QUESTIONS = Number(options.questions);
const SCANS = 5;
const ADVICE_ROUNDS = 40;
const STORES_PER_ROUND = 20;
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-recall-'));
/** How far the server's clock is ahead: a store every 100 ms stays below the rate limit of advice. */
let aheadMs = 0;

const folderOf = (rows: number) => join(folder, String(rows));
const start = (rows: number) => startRecall(folderOf(rows), () => Date.now() + aheadMs);

interface Times {
  p50: number;
  p95: number;
}

type Work = (number: number) => unknown;

async function timed(count: number, work: Work): Promise<Times> {
  return timesOf(await eachTimed(count, work));
}

async function eachTimed(count: number, work: Work): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < count; number++) {
    const startMs = performance.now();
    await work(number);
    times.push(performance.now() - startMs);
  }
  return times;
}

function timesOf(times: number[]): Times {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { p50: round(at(0.5)), p95: round(at(0.95)) };
}

/** Warms up with all queries, then alternates all of them with a scan, so that noise affects both alike. */
async function besideScan(search: Work, scans: number, scan: Work): Promise<{ engine: Times; scan: Times }> {
  await eachTimed(QUESTIONS, search);
  const searched: number[] = [];
  const scanned: number[] = [];
  for (let round = 0; round < scans; round++) {
    searched.push(...(await eachTimed(QUESTIONS, search)));
    scanned.push(...(await eachTimed(1, scan)));
  }
  return { engine: timesOf(searched), scan: timesOf(scanned) };
}

const round = (ms: number) => Math.round(ms * 1000) / 1000;
const both = ({ p50, p95 }: Times) => `${p50} / ${p95}`;

async function cold(rows: number): Promise<{ ms: number; stallMs: number }> {
  const child = fork(new URL('./cold-search.ts', import.meta.url), [folderOf(rows), String(rows)]);
  const [measured] = await once(child, 'message');
  await once(child, 'exit');
  return measured;
}

async function measure(rows: number) {
  const filling = await start(rows);
  await fill(filling.memory, rows);
  await filling.server.close();
  const fromRows = await cold(rows);
  const fromSnapshot = await cold(rows);
  const { server, memory } = await start(rows);
  const { recall, adviser } = server.memory!;
  const questions = Array.from({ length: QUESTIONS }, (_, number) => questionAt(number, rows));
  const search = (number: number) => recall.search(memory, questions[number]!, (answer) => answer);
  const { engine, scan } = await besideScan(search, rows > 100_000 ? 1 : SCANS, (number) =>
    scanFor(memory, questions[number]!.text),
  );
  const { bytes } = recall.status();
  const adviceMs = await adviceAdds(memory, adviser, (number) => makeFact(rows + number));
  const copyAdviceMs = await adviceAdds(memory, adviser, (number) => makeFact(number % rows));
  const afterStore = await searchAfterStore(memory, search);
  await server.close();
  return {
    rows,
    'engine p50/p95 ms': both(engine),
    'scan ms': scan.p50,
    'times faster than the scan': Math.round(scan.p50 / engine.p50),
    'FTS5 p50/p95 ms': both(await fts5(rows)),
    'MiniSearch p50/p95 ms': rows > 100_000 ? undefined : both(await miniSearch(rows)),
    'cold ms, stall': `${fromRows.ms}, ${fromRows.stallMs}`,
    'cold from snapshot ms, stall': `${fromSnapshot.ms}, ${fromSnapshot.stallMs}`,
    'image bytes a fact': Math.round(bytes / rows),
    'adding to the index p50/p95 µs': indexAdds(rows),
    'search after a store, ms more': round(afterStore.p50 - engine.p50),
    'advice adds ms, to copies': `${adviceMs}, ${copyAdviceMs}`,
  };
}

/** The image catches up after the response to a store, before the next request is read. */
const nextRequest = () => setImmediate();

/**
 * How much longer a store takes with advice than without. Alternates the two, so that a slow second of the disk does not
 * count as advice.
 */
async function adviceAdds(
  memory: Memory,
  adviser: Adviser,
  factAt: (number: number) => MadeUpFact,
): Promise<number> {
  const source = { surface: 'bench' };
  let stored = 0;
  const storing = async (adviser?: Adviser) => {
    const times: number[] = [];
    for (let count = 0; count < STORES_PER_ROUND; count++) {
      aheadMs += 100;
      const { value, tags, category } = factAt(stored++);
      const fact = { key: `new/${aheadMs}`, value, tags, category, ttlSeconds: 86_400 };
      const [took] = await eachTimed(1, () => rememberFact(memory, fact, { source, adviser }));
      times.push(took!);
      await nextRequest();
    }
    return timesOf(times);
  };
  const more: number[] = [];
  for (let round = 0; round < ADVICE_ROUNDS; round++) {
    const advised = await storing(adviser);
    const plain = await storing();
    more.push(advised.p50 - plain.p50);
  }
  const warm = more.slice(ADVICE_ROUNDS / 2).sort((a, b) => a - b);
  return round(warm[Math.floor(warm.length / 2)]!);
}

/** The cost of adding a fact to an image of this size. */
function indexAdds(rows: number): string {
  const image = createImage();
  const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
  const rowOf = (seq: number) => ({ id: randomBytes(16), kind: 'fact', seq, rev: 1, ...times }) as const;
  const contentOf = (number: number) => Buffer.from(JSON.stringify(makeFact(number)));
  for (let number = 0; number < rows; number++) image.put(rowOf(number), contentOf(number));
  const incoming = Array.from({ length: QUESTIONS }, (_, number) => ({
    row: rowOf(rows + number),
    content: contentOf(rows + number),
  }));
  const added = incoming.map(({ row, content }) => {
    const startMs = performance.now();
    image.put(row, content);
    return 1_000 * (performance.now() - startMs);
  });
  const { p50, p95 } = timesOf(added);
  return `${Math.round(p50)} / ${Math.round(p95)}`;
}

/** The cost of a store for the next search: decrypting the row and adding it to the index. */
async function searchAfterStore(memory: Memory, search: (number: number) => unknown): Promise<Times> {
  const times: number[] = [];
  for (let number = 0; number < 100; number++) {
    const { value, tags, category } = makeFact(number);
    const fact = { key: `later/${number}`, value, tags, category, ttlSeconds: 86_400 };
    await rememberFact(memory, fact, { source: { surface: 'bench' } });
    times.push((await timed(1, () => search(number))).p50);
  }
  times.sort((a, b) => a - b);
  return { p50: times[50]!, p95: times[95]! };
}

/** The baseline: decrypt every row and look for the words. */
async function scanFor(memory: Memory, text: string): Promise<number> {
  const words = text.split(' ').slice(4);
  let best = 0;
  for await (const { key, value } of walkMemory(memory, { kinds: ['fact'] })) {
    const searched = `${key} ${value}`.toLowerCase();
    best = Math.max(best, words.filter((word) => searched.includes(word)).length);
  }
  return best;
}

async function fts5(rows: number): Promise<Times> {
  const db = new DatabaseSync(':memory:');
  db.exec("CREATE VIRTUAL TABLE facts USING fts5(key, value, tags, tokenize = 'porter unicode61')");
  const insert = db.prepare('INSERT INTO facts VALUES (?, ?, ?)');
  db.exec('BEGIN');
  for (let number = 0; number < rows; number++) {
    const { key, value, tags } = makeFact(number);
    insert.run(key, value, tags.join(' '));
  }
  db.exec('COMMIT');
  const query = db.prepare('SELECT key FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT 20');
  const ask = (number: number) => query.all(makeQuestion(number, rows).split(' ').slice(4).join(' OR '));
  await timed(20, ask);
  const times = await timed(Math.min(QUESTIONS, rows > 100_000 ? 100 : QUESTIONS), ask);
  db.close();
  return times;
}

async function miniSearch(rows: number): Promise<Times> {
  const index = new MiniSearch({ fields: ['key', 'value', 'tags'] });
  for (let number = 0; number < rows; number++) {
    const { key, value, tags } = makeFact(number);
    index.add({ id: number, key, value, tags: tags.join(' ') });
  }
  const ask = (number: number) =>
    index
      .search(makeQuestion(number, rows).split(' ').slice(4).join(' '), { prefix: true, fuzzy: 0.2 })
      .slice(0, 20);
  await timed(20, ask);
  return timed(Math.min(QUESTIONS, 200), ask);
}

async function overHttp(rows: number): Promise<void> {
  const { server, config } = await start(rows);
  const { url, close } = await listen(server, config);
  const { token } = await server.auth.mint({ caller, scopes: ['memory:read'], ttlSeconds: 3600 });
  const ask = (number: number) =>
    get(`/api/v1/memory/search?q=${encodeURIComponent(makeQuestion(number, rows))}&limit=20`, token);
  await load(url, 4, 2, ask);
  const one = await load(url, 1, 3, ask);
  console.log(
    `over HTTP at ${rows} facts, one connection: p50 ${round(one.p50Ms)} ms, p95 ${round(one.p95Ms)} ms\n`,
  );
  await close();
}

console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}\n`);
if (options.kernel) console.table([10_000, 100_000].map(compareKernels));
else if (options.backlog) console.log(await measureBacklog());
else if (options.quality) await printQuality(options.data);
else {
  await printQuality(options.data);
  const table: Record<string, unknown>[] = [];
  for (let rows = Number(options.from); rows <= Number(options.rows); rows *= 10) {
    const measured = await measure(rows);
    table.push(measured);
    console.log(measured);
    if (rows === 10_000) await overHttp(rows);
  }
  console.table(table);
  console.log(await measureBacklog());
}
rmSync(folder, { recursive: true });
