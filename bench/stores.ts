import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '../packages/helmdeck/src/stores/open.ts';
import { startPostgres } from '../test/support/services/postgres.ts';
import { startRedis } from '../test/support/services/redis.ts';
import { get, type LoadResult, load, post } from './load.ts';
import { type RawEngine, rawPostgres, rawRedis, rawSqlite, redisBenchmark } from './raw-engines.ts';
import { seamLoad } from './store-seam.ts';

// Every back-end in one run, compared with the bare database and the same client on the same instance: on a noisy
// machine ratios vary less. All of them acknowledge a write once it is on disk, except the one named "everysec".

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '1' }, rounds: { type: 'string', default: '3' } },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const CONNECTIONS = 64;
const FACTS = 1_000;
const VALUE =
  'I always deploy via Konflux, never by hand with kubectl, and I want a ticket in the commit message.';
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-stores-'));

interface Engine {
  name: string;
  address: string;
  raw: RawEngine;
  /** Whether several nodes can share it. */
  shared: boolean;
}

const stops: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];

async function engines(): Promise<{ list: Engine[]; redisPort?: number }> {
  const sqlite = { name: 'SQLite', address: join(folder, 'bench.db'), raw: rawSqlite(folder), shared: false };
  const list: Engine[] = [sqlite];
  const pg = await startPostgres({ durable: true });
  if (typeof pg !== 'string') {
    stops.push(pg.stop);
    const raw = await rawPostgres(pg.url());
    list.push({ name: 'PostgreSQL', address: pg.url(), raw, shared: true });
  }
  let redisPort: number | undefined;
  for (const appendfsync of ['always', 'everysec']) {
    const redis = await startRedis({ appendfsync });
    if (typeof redis === 'string') continue;
    stops.push(redis.stop);
    redisPort ??= redis.port;
    const raw = await rawRedis(redis.url());
    list.push({ name: `Redis, ${appendfsync}`, address: redis.url(), raw, shared: true });
  }
  return { list, redisPort };
}

interface Node {
  child: ChildProcess;
  url: string;
  token: string;
}

/** Starts a server as `helmdeck serve` runs it. */
async function startNode(address: string): Promise<Node> {
  const child = fork(new URL('./helmdeck-server.ts', import.meta.url), {
    env: {
      ...process.env,
      HELMDECK_DB: address,
      HELMDECK_DATA_DIR: mkdtempSync(join(folder, 'node-')),
      HELMDECK_ADDR: '127.0.0.1:0',
      HELMDECK_JWT_SECRET: 'bench-secret-bench-secret-bench-secret',
      HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
      HELMDECK_RATE_LIMIT: 'off',
      HELMDECK_QUOTA_FACTS: 'off',
      HELMDECK_QUOTA_BYTES: 'off',
    },
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const [message] = (await once(child, 'message')) as [{ url: string; token: string }];
  return { child, ...message };
}

async function stopNode({ child }: Node): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

async function fill({ child }: Node): Promise<void> {
  child.send({ rows: FACTS });
  await once(child, 'message');
}

const storeCall = (token: string) => (n: number) =>
  post('/api/v1/memory/store', JSON.stringify({ key: `bench/${n}`, value: VALUE }), token);
const CALLS = {
  store: storeCall,
  get: (token: string) => (n: number) => get(`/api/v1/memory/facts/fill%2F${n % FACTS}`, token),
  search: (token: string) => () => get('/api/v1/memory/search?q=ordinary%20fact&limit=5', token),
};
type Call = keyof typeof CALLS;

/** Sends one kind of call to all nodes in parallel, with the connections split among them. */
async function overHttp(nodes: readonly Node[], call: Call): Promise<LoadResult> {
  const results = await Promise.all(
    nodes.map(({ url, token }) => load(url, CONNECTIONS / nodes.length, seconds, CALLS[call](token))),
  );
  const worst = (what: 'p50Ms' | 'p95Ms' | 'p99Ms' | 'longestMs') =>
    Math.max(...results.map((each) => each[what]));
  const perSecond = results.reduce((sum, each) => sum + each.perSecond, 0);
  return {
    perSecond,
    p50Ms: worst('p50Ms'),
    p95Ms: worst('p95Ms'),
    p99Ms: worst('p99Ms'),
    longestMs: worst('longestMs'),
  };
}

/** The median round of each measurement; rounds are interleaved, so that noise affects all of them equally. */
async function medians<Name extends string>(
  work: Record<Name, () => Promise<LoadResult>>,
): Promise<Record<Name, LoadResult>> {
  const names = Object.keys(work) as Name[];
  const all = new Map<Name, LoadResult[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) all.get(name)!.push(await work[name]());
  const middle = (results: LoadResult[]) =>
    results.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(results.length / 2)]!;
  return Object.fromEntries(names.map((name) => [name, middle(all.get(name)!)])) as Record<Name, LoadResult>;
}

const whole = (number: number) => Math.round(number).toLocaleString('en');
const ratio = (number: number) => Math.round(number * 100) / 100;
const shown = ({ perSecond, p50Ms, p95Ms }: LoadResult) =>
  `${whole(perSecond)}  ${p50Ms.toFixed(2)} / ${p95Ms.toFixed(2)}`;

async function measureEngine(engine: Engine) {
  const store = await openStore(engine.address, { now: Date.now });
  const seam = await seamLoad(store, CONNECTIONS);
  await seam.puts(CONNECTIONS, 0.3);
  const below = await medians({
    raw: () => engine.raw.upserts(CONNECTIONS, seconds),
    put: () => seam.puts(CONNECTIONS, seconds),
    get: () => seam.gets(CONNECTIONS, seconds),
  });
  await store.close();
  await engine.raw.close();
  const node = await startNode(engine.address);
  await fill(node);
  for (const call of ['store', 'get', 'search'] as const) await overHttp([node], call); // warm-up
  const above = await medians({
    store: () => overHttp([node], 'store'),
    get: () => overHttp([node], 'get'),
    search: () => overHttp([node], 'search'),
  });
  const several = engine.shared ? await measureTwo(engine, node) : undefined;
  await stopNode(node);
  return { below, above, several };
}

/** Compares one node with two on the same database, alternating; the caller is the same on both. */
async function measureTwo(engine: Engine, one: Node) {
  const two = await startNode(engine.address);
  for (const call of ['store', 'get', 'search'] as const) await overHttp([one, two], call); // warm-up
  const figures = await medians({
    'store on one': () => overHttp([one], 'store'),
    'store on two': () => overHttp([one, two], 'store'),
    'get on one': () => overHttp([one], 'get'),
    'get on two': () => overHttp([one, two], 'get'),
  });
  await stopNode(two);
  return figures;
}

try {
  const { list, redisPort } = await engines();
  console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}`);
  const [seam, http, two] = [[], [], []] as Record<string, string | number>[][];
  for (const engine of list) {
    const { below, above, several } = await measureEngine(engine);
    seam!.push({
      engine: engine.name,
      'raw upserts/s, p50 / p95 ms': shown(below.raw),
      'seam puts/s, p50 / p95 ms': shown(below.put),
      'put against raw': ratio(below.put.perSecond / below.raw.perSecond),
      'seam gets/s, p50 / p95 ms': shown(below.get),
    });
    http!.push({
      engine: engine.name,
      'store/s, p50 / p95 ms': shown(above.store),
      'get/s, p50 / p95 ms': shown(above.get),
      'search/s, p50 / p95 ms': shown(above.search),
      'store against raw': ratio(above.store.perSecond / below.raw.perSecond),
    });
    if (!several) continue;
    const gain = (call: 'store' | 'get') =>
      ratio(several[`${call} on two`].perSecond / several[`${call} on one`].perSecond);
    two!.push({
      engine: engine.name,
      'store/s on one, two': `${whole(several['store on one'].perSecond)}, ${whole(several['store on two'].perSecond)}`,
      'store gain': gain('store'),
      'get/s on one, two': `${whole(several['get on one'].perSecond)}, ${whole(several['get on two'].perSecond)}`,
      'get gain': gain('get'),
    });
  }
  console.log(
    `\n${CONNECTIONS} concurrent calls through the Store interface, and the bare database with the same client:`,
  );
  console.table(seam);
  if (redisPort !== undefined) {
    const { set, get: gets } = redisBenchmark(redisPort, CONNECTIONS, seconds);
    console.log(`redis-benchmark on the same server (always): ${whole(set)} SET/s, ${whole(gets)} GET/s\n`);
  }
  console.log(`${CONNECTIONS} connections to the real server over HTTP:`);
  console.table(http);
  console.log('One node against two on one database:');
  console.table(two);
} finally {
  for (const stop of stops.reverse()) await stop();
}
