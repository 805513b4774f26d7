import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { get, load, post } from './load.ts';
import { createRandom, makeQuestion } from './made-up-facts.ts';

// What one node does with very many callers, and what follows for more of them. Traffic is Zipf-like: caller number k
// comes 1/k as often as the first one. Everything is real but the callers: one process, one file, real tokens, HTTP.

const { values: options } = parseArgs({
  options: {
    callers: { type: 'string', default: '100000' },
    facts: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '32' },
    'cache-mib': { type: 'string', default: '256,32' },
  },
});
const callers = Number(options.callers);
const meanFacts = Number(options.facts);
const seconds = Number(options.seconds);
const connections = Number(options.connections);
const SECRET = 'a secret of the scale benchmark, long enough';
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-scale-'));
const random = createRandom(7);
const questions = Array.from({ length: 2_000 }, (_, number) => makeQuestion(number, 10_000));

/** Caller k of n with a chance of 1/k, by the inverse of the harmonic sum (exact enough from the third on). */
const harmonic = (n) => Math.log(n) + 0.5772156649 + 1 / (2 * n);
const zipf = () => Math.min(callers - 1, Math.floor(Math.exp(random() * Math.log(callers + 1))) - 1);
/** Facts are as uneven as traffic: few have many, most have few. */
const counts = Array.from({ length: callers }, (_, k) =>
  Math.max(1, Math.round((meanFacts * callers) / (harmonic(callers) * (k + 10)))),
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
  const ask = async (message = {}) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  return { url, ask, stop: () => once(child.disconnect() ?? child, 'exit') };
}

const MIX = [
  { name: 'search', share: 0.6 },
  { name: 'get', share: 0.25 },
  { name: 'store', share: 0.15 },
];
const made = { search: 0, get: 0, store: 0 };

function request(number) {
  const caller = zipf();
  const token = tokenOf(caller);
  const dice = random();
  const kind = dice < 0.6 ? 'search' : dice < 0.85 ? 'get' : 'store';
  made[kind]++;
  const key = `k/${Math.floor(random() * counts[caller])}`;
  if (kind === 'search')
    return get(`/api/v1/memory/search?q=${encodeURIComponent(questions[number % questions.length])}`, token);
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
const empty = await first.ask();
await first.ask({ fill: counts });
console.log(
  `${callers} callers with ${facts} facts, written in ${fixed((performance.now() - fillMs) / 1000, 0)} s; ${cpus().length} cores, ${connections} connections, ${MIX.map(({ name, share }) => `${share * 100} % ${name}`).join(', ')}`,
);
await first.stop();
const diskBytes = statSync(join(folder, 'scale.db')).size;
console.log(
  `disk: ${mb(diskBytes)}, ${fixed(diskBytes / facts, 0)} bytes a fact, ${fixed(diskBytes / callers, 0)} a caller`,
);

let cpuPerRequest = 0;
let rssPerImage = 0;
let factsPerImage = 0;
for (const cacheMib of options['cache-mib'].split(',').map(Number)) {
  const server = await start(cacheMib);
  const cold = await server.ask();
  const before = await load(server.url, connections, seconds / 2, request);
  const warm = await server.ask();
  const steady = await load(server.url, connections, seconds / 2, request);
  const after = await server.ask();
  await server.stop();
  const answered = Math.round(steady.perSecond * (seconds / 2));
  cpuPerRequest = (after.cpuSeconds - warm.cpuSeconds) / answered;
  const hits = 1 - (after.loads - warm.loads) / (after.lookups - warm.lookups);
  const held = harmonic(after.images) / harmonic(callers);
  rssPerImage = (after.rssBytes - cold.rssBytes) / after.images;
  factsPerImage = after.imageBytes / after.images;
  console.log(
    `cache ${cacheMib} MiB: ${fixed(before.perSecond, 0)}/s in the first half, ${fixed(steady.perSecond, 0)}/s in the second; p50 ${fixed(steady.p50Ms)} p95 ${fixed(steady.p95Ms)} p99 ${fixed(steady.p99Ms)} ms; ${fixed(cpuPerRequest * 1000)} ms of processor a request`,
  );
  console.log(
    `  ${after.images} images, ${mb(after.imageBytes)} counted, process ${mb(after.rssBytes)} (${mb(empty.rssBytes)} empty); hit ratio ${fixed(hits * 100, 1)} %, H(images)/H(callers) says ${fixed(held * 100, 1)} %; ${fixed(factsPerImage, 0)} bytes an image counted, ${fixed(rssPerImage, 0)} in the process`,
  );
}

// --- what follows ---------------------------------------------------------------------------------------------------
// peak requests/s = callers × active share × requests a day ÷ 86,400 × peak factor
// nodes           = peak × processor seconds a request ÷ (cores × 0.6), at least 2 beyond one machine
// hit ratio       = H(images a node holds × nodes) ÷ H(callers) when a caller always goes to the same node,
//                   H(images a node holds) ÷ H(callers) when any node may be asked
// disk            = facts × bytes a fact
const ASSUMED = { active: 0.1, requestsADay: 50, peak: 5, factsEach: 50, cores: 4, imageMib: 2_048 };
console.log(
  `assumed: ${ASSUMED.active * 100} % of callers active a day, ${ASSUMED.requestsADay} requests each, peak ${ASSUMED.peak} times the mean, ${ASSUMED.factsEach} facts each, nodes of ${ASSUMED.cores} cores with ${ASSUMED.imageMib} MiB of images`,
);
console.log('callers | facts | peak req/s | nodes | disk | hit ratio routed / anywhere');
for (const many of [10_000, 100_000, 1_000_000, 10_000_000]) {
  const peak = ((many * ASSUMED.active * ASSUMED.requestsADay) / 86_400) * ASSUMED.peak;
  const nodes = Math.max(many > 200_000 ? 2 : 1, Math.ceil((peak * cpuPerRequest) / (ASSUMED.cores * 0.6)));
  const imageBytes = Math.max(rssPerImage, factsPerImage) * (ASSUMED.factsEach / meanFacts);
  const held = Math.max(1, (ASSUMED.imageMib * 1_048_576) / imageBytes);
  const ratio = (images) => Math.min(1, harmonic(Math.min(images, many)) / harmonic(many));
  const disk = many * ASSUMED.factsEach * (diskBytes / facts);
  console.log(
    `${many} | ${many * ASSUMED.factsEach} | ${fixed(peak, 0)} | ${nodes} | ${fixed(disk / 1e9, 1)} GB | ${fixed(ratio(held * nodes) * 100, 0)} % / ${fixed(ratio(held) * 100, 0)} %`,
  );
}
rmSync(folder, { recursive: true, force: true });
