import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpaceMemory } from '../packages/helmdeck/src/memory/spaces/space-memory.ts';
import { makeQuestion } from './made-up-facts.ts';
import { caller, fill, startRecall } from './recall-server.ts';

// What spaces cost: a search over one's own memory and three spaces beside one over the own memory alone, the same search
// with 50 more grants, and whether the two kinds of 404 can be told apart by their time.

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    searches: { type: 'string', default: '400' },
    probes: { type: 'string', default: '20000' },
  },
});
const [ROWS, SEARCHES, PROBES] = [options.rows, options.searches, options.probes].map(Number) as [
  number,
  number,
  number,
];
const SPACES = 3;
const MORE_GRANTS = 50;

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-spaces-'));
const { server, memory } = await startRecall(folder);
const { spaces, parts } = server.memory!;
await fill(memory, ROWS);
for (let n = 0; n < SPACES; n++) {
  const space = await spaces.create({ slug: `team-${n}`, owner: caller });
  const by = await spaces.aliasOf(space, caller);
  await fill(createSpaceMemory(parts, { space, role: 'owner' }, { by, nameOf: spaces.nameOf }), ROWS);
}
const { token } = await server.auth.mint({ caller, scopes: ['memory:read'], ttlSeconds: 36_000 });

async function timeOf(path: string, expected: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'bench-request' };
  const request = new Request(`http://127.0.0.1:3000/api/v1/${path}`, { headers });
  const startMs = performance.now();
  const answer = await server.app.fetch(request);
  await answer.text();
  const tookMs = performance.now() - startMs;
  if (answer.status !== expected) throw new Error(`${path} answered ${answer.status}`);
  return tookMs;
}

const percentile = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!;
const rounded = (number: number, digits = 2) => Number(number.toFixed(digits));

/** The kinds of search take turns, so that all of them meet the same load of the machine. */
async function compareSearches(kinds: Record<string, string>) {
  const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, [] as number[]]));
  for (let number = -50; number < SEARCHES; number++)
    for (const [name, query] of Object.entries(kinds)) {
      const path = `memory/search?q=${encodeURIComponent(makeQuestion(Math.abs(number), ROWS))}${query}`;
      const tookMs = await timeOf(path, 200);
      if (number >= 0) times[name]!.push(tookMs);
    }
  return times;
}

const OWN = 'own memory';
const JOINT = `own and ${SPACES} spaces`;
const before = await compareSearches({ [OWN]: '', [JOINT]: '&spaces=mine,team-0,team-1,team-2' });
for (let n = 0; n < MORE_GRANTS; n++) await spaces.create({ slug: `more-${n}`, owner: caller });
const after = await compareSearches({ [`${OWN}, ${MORE_GRANTS} more grants`]: '' });
console.table(
  Object.entries({ ...before, ...after }).map(([search, times]) => ({
    search,
    'p50 ms': rounded(percentile(times, 0.5)),
    'p95 ms': rounded(percentile(times, 0.95)),
  })),
);
const ratio = percentile(before[JOINT]!, 0.95) / percentile(before[OWN]!, 0.95);
console.log(`p95 of both together: ${rounded(ratio)} times that of one (at most 2.5)`);

await spaces.create({ slug: 'of-others', owner: { subject: 'somebody else' } });
const slugs = ['of-others', 'not-there'];
const found = slugs.map(() => [] as number[]);
for (let number = -500; number < PROBES; number++)
  for (const kind of number % 2 === 0 ? [0, 1] : [1, 0]) {
    const tookMs = await timeOf(`memory/facts?space=${slugs[kind]}`, 404);
    if (number >= 0) found[kind]!.push(tookMs);
  }
/** Welch's t over the faster nine tenths: the rest is the garbage collector and other programs. */
const trimmed = found.map((times) => times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9)));
const mean = (times: readonly number[]) => times.reduce((sum, each) => sum + each, 0) / times.length;
const spread = (times: readonly number[]) => {
  const middle = mean(times);
  return times.reduce((sum, each) => sum + (each - middle) ** 2, 0) / (times.length - 1) / times.length;
};
const [granted, absent] = trimmed as [number[], number[]];
const t = (mean(granted) - mean(absent)) / Math.sqrt(spread(granted) + spread(absent));
console.table([
  {
    'not granted µs': rounded(mean(granted) * 1000),
    'not there µs': rounded(mean(absent) * 1000),
    "Welch's t": rounded(t),
    'told apart': Math.abs(t) > 3.3 ? 'yes' : 'no',
  },
]);
await server.close();
rmSync(folder, { recursive: true, force: true });
