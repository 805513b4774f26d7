import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { get, load, post } from './load.ts';
import { createRandom, makeQuestion } from './made-up-facts.ts';

// Measures one node with very many callers, and extrapolates to more of them. Traffic is Zipf-like: caller number k
// sends 1/k as many requests as the first one. One server process, one database file, real tokens, HTTP.

const { values: options } = parseArgs({
  options: {
    callers: { type: 'string', default: '100000' },
    facts: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '32' },
    'cache-mib': { type: 'string', default: '1024,64' },
  },
});
const callers = Number(options.callers);
const meanFacts = Number(options.facts);
const seconds = Number(options.seconds);
const connections = Number(options.connections);
const SECRET = 'a secret of the scale benchmark, long enough';
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-scale-'));
const random = createRandom(7);
const queries = Array.from({ length: 2_000 }, (_, number) => makeQuestion(number, 10_000));

/** Caller k of n with a chance of 1/k, by the inverse of the harmonic sum (exact enough from the third on). */
const harmonic = (n) => Math.log(n) + 0.5772156649 + 1 / (2 * n);
const zipf = () => Math.min(callers - 1, Math.floor(Math.exp(random() * Math.log(callers + 1))) - 1);
/** Callers with more traffic have more facts, up to twenty times the mean. */
const counts = Array.from({ length: callers }, (_, k) =>
  Math.max(1, Math.round(Math.min(20 * meanFacts, (meanFacts * callers) / (5 * (k + 1))))),
);
const facts = counts.reduce((sum, count) => sum + count, 0);

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokens = new Map();
function tokenOf(caller) {
  const known = tokens.get(caller);
  if (known) return known;
  const exp = Math.floor(Date.now() / 1000) + 36_000;
  const claims = { iss: 'helmdeck', sub: `caller-${caller}`, exp, scopes: ['memory:read', 'memory:write'] };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const token = `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
  tokens.set(caller, token);
  return token;
}

async function start(cacheMib) {
  const child = fork(new URL('./scale-server.ts', import.meta.url), {
    env: {
      ...process.env,
      HELMDECK_DB: join(folder, 'scale.db'),
      HELMDECK_ADDR: '127.0.0.1:0',
      HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
      HELMDECK_JWT_SECRET: SECRET,
      HELMDECK_RATE_LIMIT: 'off',
      HELMDECK_LOG_LEVEL: 'warn',
      HELMDECK_RECALL_CACHE_BYTES: String(cacheMib * 1_048_576),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ url }] = await once(child, 'message');
  const command = async (message = {}) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  return { url, command, stop: () => once(child.disconnect() ?? child, 'exit') };
}

const MIX = [
  { name: 'search', share: 0.6 },
  { name: 'get', share: 0.25 },
  { name: 'store', share: 0.15 },
];
const made = { search: 0, get: 0, store: 0 };

let activeCallers = callers;

function request(number) {
  const caller = zipf() % activeCallers;
  const token = tokenOf(caller);
  const dice = random();
  const kind = dice < 0.6 ? 'search' : dice < 0.85 ? 'get' : 'store';
  made[kind]++;
  const key = `k/${Math.floor(random() * counts[caller])}`;
  if (kind === 'search')
    return get(`/api/v1/memory/search?q=${encodeURIComponent(queries[number % queries.length])}`, token);
  if (kind === 'get') return get(`/api/v1/memory/facts/${encodeURIComponent(key)}`, token);
  return post(
    '/api/v1/memory/store',
    JSON.stringify({ key, value: `a new value of an ordinary length, number ${number}` }),
    token,
  );
}

const fixed = (value, digits = 2) => value.toFixed(digits);
const mb = (bytes) => `${fixed(bytes / 1e6, 0)} MB`;

const first = await start(256);
const fillMs = performance.now();
const empty = await first.command();
await first.command({ fill: counts });
console.log(
  `${callers} callers with ${facts} facts, written in ${fixed((performance.now() - fillMs) / 1000, 0)} s; ${cpus().length} cores, ${connections} connections, ${MIX.map(({ name, share }) => `${share * 100} % ${name}`).join(', ')}`,
);
await first.stop();
const diskBytes = statSync(join(folder, 'scale.db')).size;
console.log(
  `disk: ${mb(diskBytes)}, ${fixed(diskBytes / facts, 0)} bytes a fact, ${fixed(diskBytes / callers, 0)} a caller`,
);

/** Mean number of facts of the callers without an image, weighted by their traffic. */
function factsOfMissed(images) {
  let [weighted, weights] = [0, 0];
  for (let k = images; k < callers; k++) {
    weighted += counts[k] / (k + 1);
    weights += 1 / (k + 1);
  }
  return weighted / weights;
}

async function phase(server) {
  const before = await server.command();
  const { perSecond, p50Ms, p95Ms, p99Ms } = await load(server.url, connections, seconds, request);
  const after = await server.command();
  const hits = 1 - (after.loads - before.loads) / Math.max(1, after.lookups - before.lookups);
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1000) / (perSecond * seconds);
  console.log(
    `  ${fixed(perSecond, 0)}/s, p50 ${fixed(p50Ms)} p95 ${fixed(p95Ms)} p99 ${fixed(p99Ms)} ms, ${fixed(cpuMs)} ms CPU per request, hit ratio ${fixed(hits * 100, 1)} %; ${after.images} images, ${mb(after.imageBytes)} counted, process ${mb(after.rssBytes)}`,
  );
  return { ...after, hits, cpuMs };
}

const measured = { hitMs: 0, missMsAFact: 0, bytesAFact: 0, overhead: 0 };
for (const [index, cacheMib] of options['cache-mib'].split(',').map(Number).entries()) {
  console.log(`cache ${cacheMib} MiB: cold, warm${index === 0 ? ', and only two hundred callers' : ''}`);
  const server = await start(cacheMib);
  await phase(server);
  const warm = await phase(server);
  console.log(
    `  H(images)/H(callers) says a hit ratio of ${fixed((harmonic(warm.images) / harmonic(callers)) * 100, 1)} %`,
  );
  if (index === 0) {
    activeCallers = 200;
    await phase(server);
    const hot = await phase(server);
    activeCallers = callers;
    const imageFacts = counts.slice(0, warm.images).reduce((sum, count) => sum + count, 0);
    measured.hitMs = hot.cpuMs;
    measured.missMsAFact = (warm.cpuMs - hot.cpuMs) / (1 - warm.hits) / factsOfMissed(warm.images);
    measured.bytesAFact = warm.imageBytes / imageFacts;
    measured.overhead = (warm.rssBytes - empty.rssBytes) / warm.imageBytes;
  }
  await server.stop();
}
console.log(
  `result: ${fixed(measured.hitMs)} ms CPU per request that finds its image, ${fixed(measured.missMsAFact)} ms more for each fact of one that is loaded; about ${fixed(measured.bytesAFact, 0)} bytes of image a fact, and ${fixed(measured.overhead, 1)} times that in the process`,
);

// --- extrapolation --------------------------------------------------------------------------------------------------
// peak requests/s = callers × active share × requests a day ÷ 86,400 × peak factor
// a request       = CPU time with its image in RAM + (1 - hit ratio) × facts a caller × time to load one
// nodes           = peak × a request ÷ 0.6, at least 2 beyond 200,000 callers: a node is one process, which serves
//                   requests on one core, and 0.6 of it leaves headroom for bursts
// images a node   = its bytes for images ÷ (facts a caller × bytes a fact)
// hit ratio       = H(images of all nodes) ÷ H(callers) if a caller is always routed to the same node,
//                   H(images of one node) ÷ H(callers) if any node may serve it; H(n) = 1 + 1/2 + … + 1/n
// disk            = facts × bytes a fact
const ASSUMED = { active: 0.1, requestsADay: 50, peak: 5, factsEach: 50, imageMib: 2_048 };
console.log(
  `assumed: ${ASSUMED.active * 100} % of callers active a day, ${ASSUMED.requestsADay} requests each, peak ${ASSUMED.peak} times the mean, ${ASSUMED.factsEach} facts each, nodes with ${ASSUMED.imageMib} MiB of images`,
);
console.log('callers | facts | peak req/s | nodes routed / anywhere | disk | hit ratio routed / anywhere');
const { factsEach, imageMib } = ASSUMED;
const imagesOfANode = (imageMib * 1_048_576) / (factsEach * measured.bytesAFact);
const ratio = (images, many) => harmonic(Math.min(images, many)) / harmonic(many);
const nodesFor = (peak, hits, many) => {
  const requestMs = measured.hitMs + (1 - hits) * factsEach * measured.missMsAFact;
  return Math.max(many > 200_000 ? 2 : 1, Math.ceil((peak * requestMs) / 1000 / 0.6));
};
for (const many of [10_000, 100_000, 1_000_000, 10_000_000]) {
  const peak = ((many * ASSUMED.active * ASSUMED.requestsADay) / 86_400) * ASSUMED.peak;
  const anywhere = ratio(imagesOfANode, many);
  const nodes = nodesFor(peak, anywhere, many);
  const routed = ratio(imagesOfANode * nodes, many);
  const disk = many * factsEach * (diskBytes / facts);
  console.log(
    `${many} | ${many * factsEach} | ${fixed(peak, 0)} | ${nodesFor(peak, routed, many)} / ${nodes} | ${fixed(disk / 1e9, 1)} GB | ${fixed(routed * 100, 0)} % / ${fixed(anywhere * 100, 0)} %`,
  );
}
rmSync(folder, { recursive: true, force: true });
