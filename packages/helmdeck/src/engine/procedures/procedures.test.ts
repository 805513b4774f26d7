import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMemory } from '../../memory/memory.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack, type Pack } from '../pack/pack.ts';
import type { PipelineBody } from '../pipeline/definition.ts';
import { findSequences } from './find-sequences.ts';
import { knownConstants } from './known-constants.ts';
import type { Candidate } from './procedures.ts';
import { tracedRuns } from './traced-runs.ts';

const MINUTE_MS = 60_000;
const RUNS = 2_000;
const clock = fakeClock();
let server: TestServer;
/** Numbers that look random and are the same in every run of the test. */
const random = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** The fields that the packs of this test are given. */
interface Given {
  customer: string;
  state: string;
  sky: string;
  city: string;
  about: string;
  to: { city: string; zip: string };
  options: { fast: boolean; note: string };
  lines: string[];
  missing: string[];
  id: number;
  [text: string]: unknown;
}

const pack = (
  name: string,
  input: z.ZodObject,
  output: z.ZodObject,
  handler: (input: Given) => object,
): Pack =>
  definePack({
    name: `shop.${name}`,
    version: 'v1',
    description: `For a test: ${name}.`,
    input,
    output,
    handler: ({ input: given }) => handler(given as Given) as never,
  });
const text = z.string();
const sum = (given: string) =>
  [...given].reduce((all, each) => (all * 31 + each.charCodeAt(0)) % 9_999_991, 7);

const PACKS: Pack[] = [
  pack(
    'list_orders',
    z.object({ customer: text, state: z.enum(['open', 'paid', 'sent']) }),
    z.object({ orders: z.array(z.object({ id: z.int(), lines: z.array(text) })), count: z.int() }),
    ({ customer, state }) => ({
      orders: [1, 2].map((n) => ({
        id: sum(customer + state) + n,
        lines: [`${customer} line ${n}`, `line of ${state}`],
      })),
      count: 2,
    }),
  ),
  pack(
    'get_order',
    z.object({ id: z.int(), deep: z.boolean().optional() }),
    z.object({ summary: text, at: z.object({ city: text, zip: text }) }),
    ({ id }) => ({
      summary: `Order ${id} of ${'many words '.repeat(30)}`,
      at: { city: `City ${id}`, zip: `Z${id}` },
    }),
  ),
  pack(
    'write_mail',
    z.object({ about: text, persona: text.optional(), angle: text.optional() }),
    z.object({ mail: text, title: text }),
    ({ about, persona, angle }) => ({ mail: `${persona}/${angle}: ${about}`, title: `T ${sum(about)}` }),
  ),
  pack(
    'translate',
    z.object({ text, format: text.optional(), limit: z.int().optional() }),
    z.object({ translated: text }),
    (given) => ({ translated: `~${given.text}~${given.format}~${given.limit}` }),
  ),
  pack(
    'route_parcel',
    z.object({
      to: z.object({ city: text, zip: text }),
      options: z.object({ fast: z.boolean(), note: text }),
    }),
    z.object({ label: text }),
    ({ to, options }) => ({ label: `${to.city} ${to.zip} ${options.fast} ${options.note}` }),
  ),
  pack(
    'print',
    z.object({ label: text, copies: z.int() }),
    z.object({ sheet: text }),
    ({ label, copies }) => ({ sheet: `[${label} x${copies}]` }),
  ),
  pack(
    'stock',
    z.object({ customer: text, lines: z.array(text) }),
    z.object({ missing: z.array(text), status: text }),
    ({ customer, lines }) => ({
      missing: lines.map((line: string) => `${line} for ${customer}`),
      status: 'ok',
    }),
  ),
  pack(
    'reserve',
    z.object({ customer: text, missing: z.array(text), status: text.optional() }),
    z.object({ ticket: text }),
    ({ customer, missing }) => ({ ticket: `${customer}-${sum(missing.join())}` }),
  ),
  pack('weather', z.object({ city: text }), z.object({ sky: text, status: text }), ({ city }) => ({
    sky: ['clear', 'rain', 'fog'][sum(city) % 3],
    status: 'ok',
  })),
  pack('dress', z.object({ sky: text }), z.object({ wear: text, status: text }), ({ sky }) => ({
    wear: sky === 'rain' ? 'coat' : 'shirt',
    status: 'ok',
  })),
];

/** The fields that the packs of this test return. */
interface Returned {
  orders: { id: number }[];
  at: object;
  missing: string[];
  [text: string]: unknown;
}

const run = async (name: string, input: object): Promise<Returned> => {
  clock.advance(20_000);
  return (await runPack(server, 'ada', `shop.${name}`, input)).output as Returned;
};

/** The five planted sequences; each takes a number that differs every time and returns what its last step returned. */
const PLANTED: Record<string, (n: number) => Promise<object>> = {
  'list_orders get_order write_mail': async (n) => {
    const { orders } = await run('list_orders', { customer: `customer ${n}`, state: 'open' });
    const { summary } = await run('get_order', { id: orders[0]!.id, deep: true });
    return run('write_mail', { about: summary, persona: 'friendly', angle: `angle ${n}` });
  },
  'write_mail translate': async (n) => {
    const { mail } = await run('write_mail', { about: `about ${n}`, persona: 'technical' });
    return run('translate', { text: mail, format: 'markdown', limit: 7 });
  },
  'get_order route_parcel print': async (n) => {
    const { at } = await run('get_order', { id: 50_000 + n });
    const { label } = await run('route_parcel', { to: at, options: { fast: true, note: `note ${n}` } });
    return run('print', { label, copies: 1 + (n % 3) });
  },
  'stock reserve': async (n) => {
    const customer = `buyer ${n}`;
    const { missing } = await run('stock', { customer, lines: [`bolt ${n}`, 'nut'] });
    return run('reserve', { customer, missing, status: 'ok' });
  },
  'translate print translate': async (n) => {
    const first = await run('translate', { text: `poem ${n}` });
    const { sheet } = await run('print', { label: first.translated, copies: 2 });
    return run('translate', { text: sheet, format: 'plain' });
  },
};

const templates: Record<string, { inputs: string[]; steps: object[] }> = {
  'list_orders get_order write_mail': {
    inputs: ['customer', 'angle'],
    steps: [
      { customer: '${{ inputs.customer }}', state: 'open' },
      { id: '${{ steps.list_orders.output.orders[0].id }}', deep: true },
      { about: '${{ steps.get_order.output.summary }}', persona: 'friendly', angle: '${{ inputs.angle }}' },
    ],
  },
  'write_mail translate': {
    inputs: ['about'],
    steps: [
      { about: '${{ inputs.about }}', persona: 'technical' },
      { text: '${{ steps.write_mail.output.mail }}', format: 'markdown', limit: 7 },
    ],
  },
  'get_order route_parcel print': {
    inputs: ['id', 'note', 'copies'],
    steps: [
      { id: '${{ inputs.id }}' },
      { to: '${{ steps.get_order.output.at }}', options: { fast: true, note: '${{ inputs.note }}' } },
      { label: '${{ steps.route_parcel.output.label }}', copies: '${{ inputs.copies }}' },
    ],
  },
  'stock reserve': {
    // The second line was the same each time, but no schema and no learned input says what it was.
    inputs: ['customer', 'lines_0', 'lines_1'],
    steps: [
      { customer: '${{ inputs.customer }}', lines: ['${{ inputs.lines_0 }}', '${{ inputs.lines_1 }}'] },
      {
        customer: '${{ inputs.customer }}',
        missing: '${{ steps.stock.output.missing }}',
        status: '${{ steps.stock.output.status }}',
      },
    ],
  },
  'translate print translate': {
    inputs: ['text'],
    steps: [
      { text: '${{ inputs.text }}' },
      { label: '${{ steps.translate.output.translated }}', copies: 2 },
      { text: '${{ steps.print.output.sheet }}', format: 'plain' },
    ],
  },
};
const inputsOf: Record<string, (n: number) => object> = {
  'list_orders get_order write_mail': (n) => ({ customer: `customer ${n}`, angle: `angle ${n}` }),
  'write_mail translate': (n) => ({ about: `about ${n}` }),
  'get_order route_parcel print': (n) => ({ id: 50_000 + n, note: `note ${n}`, copies: 1 + (n % 3) }),
  'stock reserve': (n) => ({ customer: `buyer ${n}`, lines_0: `bolt ${n}`, lines_1: 'nut' }),
  'translate print translate': (n) => ({ text: `poem ${n}` }),
};
const packsOf = (name: string) => name.split(' ').map((each) => `shop.${each}`);
const memory = () => createMemory(server.memory!.parts, { subject: 'ada' });
/** The fields of answers that this test reads. */
interface Answered {
  candidates: Candidate[];
  id: string;
  name: string;
  run_id: string;
  status: string;
  steps: { output?: object }[];
}

const request = async (method: string, path: string, body?: object) => {
  const answer = await server.call('ada', method, `/api/v1${path}`, body);
  return { status: answer.status, body: (await answer.json()) as Answered };
};

describe('procedures in a history of 2,000 runs with five planted sequences', () => {
  let found: Candidate[];
  beforeAll(async () => {
    server = await testServer({ packs: PACKS, now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
    const next = random(11);
    const names = Object.keys(PLANTED);
    const pick = <T>(all: readonly T[]) => all[Math.floor(next() * all.length)]!;
    const noise = [
      () => run('weather', { city: `city ${Math.floor(next() * 40)}` }),
      () => run('dress', { sky: pick(['clear', 'rain', 'fog']) }),
      () => run('print', { label: `label ${next()}`, copies: pick([1, 2, 3]) }),
      () => run('list_orders', { customer: `customer ${next()}`, state: pick(['open', 'paid', 'sent']) }),
      () => run('translate', { text: `text ${next()}`, format: pick(['plain', 'markdown']) }),
      () => run('reserve', { customer: pick(['one', 'two']), missing: [`m ${next()}`] }),
    ];
    let [runs, n] = [0, 0];
    for (; runs < RUNS; runs++) {
      clock.advance(next() * 5 * MINUTE_MS);
      if (runs % 100 === 0) await server.memory!.parts.pending.drain();
      if (runs % 50 === 7) {
        await PLANTED[names[n % 5]!]!(n);
        runs += names[n++ % 5]!.split(' ').length - 1;
      } else await pick(noise)();
    }
    const listed = await request('GET', '/procedures/candidates');
    expect(listed.status).toBe(200);
    found = listed.body.candidates;
  });
  afterAll(() => server.close());

  it('all five are found, no other, with the right templates and evidence', () => {
    const draftOf = ({ draft }: { draft: PipelineBody }) => ({
      inputs: Object.keys(draft.inputs!),
      steps: draft.steps.map(({ input }) => input),
    });
    expect(found.map(({ steps }) => steps).sort()).toEqual(Object.keys(PLANTED).map(packsOf).sort());
    for (const [name, template] of Object.entries(templates)) {
      const candidate = found.find(({ steps }) => steps.join() === packsOf(name).join())!;
      expect(draftOf(candidate), name).toEqual(template);
      expect(candidate.count, name).toBe(8);
      expect(candidate.of, name).toBeGreaterThanOrEqual(8);
      expect(candidate.example_runs.map((keys) => keys.map((key) => key.split('/')[1]))).toEqual(
        Array(3).fill(packsOf(name)),
      );
    }
  });

  it('each promoted pipeline gives the same outputs as the packs run one by one', async () => {
    for (const name of Object.keys(PLANTED)) {
      const { id } = found.find(({ steps }) => steps.join() === packsOf(name).join())!;
      const { status, body: pipeline } = await request('POST', `/procedures/candidates/${id}/promote`, {
        name,
      });
      expect([status, pipeline.name]).toEqual([201, name]);
      const inputs = inputsOf[name]!(1_234);
      const { run_id } = (await request('POST', `/pipelines/${pipeline.id}/run`, { inputs })).body;
      const ended = async () => (await request('GET', `/pipelines/${pipeline.id}/runs/${run_id}`)).body;
      await expect.poll(async () => (await ended()).status, { timeout: 20_000 }).toBe('succeeded');
      expect((await ended()).steps.at(-1)?.output, name).toEqual(await PLANTED[name]!(1_234));
    }
    expect((await request('GET', '/procedures/candidates')).body.candidates).toEqual([]);
  });

  it('the same runs give the same sequences every time, and in random order none', async () => {
    const keys = (await memory().directory.runs.find({ subject: 'ada' }))!;
    const { trivial } = knownConstants(keys);
    const runs = await tracedRuns(memory());
    expect(findSequences(runs, trivial)).toEqual(findSequences([...runs], trivial));
    for (const seed of [1, 2, 3, 4, 5]) {
      const next = random(seed);
      const order = runs.map((each) => [next(), each] as const).sort(([a], [b]) => a - b);
      // The times stay where they were, so that the runs are as close together as before.
      const shuffled = order.map(([, each], at) => ({ ...each, atUnix: runs[at]!.atUnix }));
      expect(findSequences(shuffled, trivial), `seed ${seed}`).toEqual([]);
      const atOnce = shuffled.map((each) => ({ ...each, atUnix: 0 }));
      expect(findSequences(atOnce, trivial), `seed ${seed}, all at once`).toEqual([]);
    }
  });

  it('no value of a run is in its record, and another caller sees no candidate', async () => {
    const kept = JSON.stringify(await tracedRuns(memory()));
    for (const value of ['buyer 3', 'bolt 3', 'customer 0', 'note 2', 'Order 5', 'City 5'])
      expect(kept.includes(value), value).toBe(false);
    const answer = await server.call('bob', 'GET', '/api/v1/procedures/candidates');
    expect(await answer.json()).toEqual({ candidates: [] });
  });
});
