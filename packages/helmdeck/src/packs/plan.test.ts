import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CommonFinding, commonFindings } from '../engine/history/defaults.ts';
import { myPlans } from '../engine/history/my-plans.ts';
import { definePack } from '../engine/pack/pack.ts';
import { createMemory } from '../memory/memory.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../testing/index.ts';

const text = z.string();
let given: readonly CommonFinding[] = [];
const PACKS = [
  definePack({
    name: 'parcel.find_orders',
    version: 'v1',
    description: 'Find orders of a customer.',
    input: z.object({ customer: text, format: text.optional() }),
    output: z.object({ order: text }),
    metadata: { produces: ['order'], intent_keywords: ['find orders'] },
    handler: ({ input }) => ({ order: `order of ${input.customer}` }),
  }),
  definePack({
    name: 'parcel.print_label',
    version: 'v1',
    description: 'Print a parcel label.',
    input: z.object({ order: text }),
    output: z.object({ findings: z.array(z.object({ code: text })) }),
    metadata: { accepts: ['order'], intent_keywords: ['print label'] },
    memory: { findings: 'own' },
    handler: ({ input, findings }) => {
      given = findings;
      return {
        findings: [{ code: 'label_small' }, ...(input.order === 'torn' ? [{ code: 'label_torn' }] : [])],
      };
    },
  }),
  definePack({
    name: 'parcel.print_invoice',
    version: 'v1',
    description: 'Print an invoice.',
    input: z.object({ order: text }),
    output: z.object({}),
    metadata: { intent_keywords: ['print invoice'] },
    handler: () => ({}),
  }),
];
const INTENT = 'Find orders of Ms Quimby, then print label, and finally print invoice';
const clock = fakeClock();
let gateway: Server;
let server: TestServer;
let says = '';
let asked: { messages: { content: string }[] }[] = [];

beforeAll(async () => {
  gateway = createServer(async (incoming, answer) => {
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    asked.push(JSON.parse(body) as (typeof asked)[number]);
    answer
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content: says } }] }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});
beforeEach(async () => {
  asked = [];
  given = [];
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
  server = await testServer({
    packs: PACKS,
    now: clock.now,
    env: { HELMDECK_GATEWAY_URL: url, HELMDECK_GATEWAY_MODEL: 'small', HELMDECK_RATE_LIMIT: 'off' },
  });
});
afterEach(() => server.close());

interface Plan {
  steps: { id: string; inputs?: object; needs?: string[]; why: string }[];
  gap_warning?: { missing_capability: string };
  reasoning: string;
}
const memory = () => createMemory(server.memory!.parts, { subject: 'ada' });
const run = async (name: string, input: object) => {
  clock.advance(5_000);
  return (await runPack(server, 'ada', `parcel.${name}`, input)).output;
};
const plan = async (user_intent: string, more: object = {}) => {
  clock.advance(5_000);
  return (await runPack(server, 'ada', 'helmdeck.plan', { user_intent, ...more })).output as Plan;
};
const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

describe('helmdeck.plan', () => {
  it('a plan has the steps in the order of the intent, with known inputs and those still needed, the same each time', async () => {
    for (let n = 0; n < 3; n++) await run('find_orders', { customer: `c ${n}`, format: 'short' });
    const first = await plan(INTENT, { context: { customer: 'Quimby' } });
    expect(ids(first)).toEqual(PACKS.map(({ name }) => name));
    expect(first.steps[0]!.inputs).toEqual({ customer: 'Quimby', format: 'short' });
    expect(first.steps[1]).toMatchObject({ needs: ['order'] });
    expect(first.steps[1]!.why).toContain('it takes the order of the step before');
    expect(await plan(INTENT, { context: { customer: 'Quimby' } })).toEqual(first);
    const none = await plan('knit a pullover');
    expect(none.steps).toEqual([]);
    expect(none.gap_warning?.missing_capability).toBe('knit a pullover');
  });

  it('what usually came next goes before what only has the words', async () => {
    expect(ids(await plan('find orders, then print'))).toEqual(['parcel.find_orders', 'parcel.print_label']);
    for (let n = 0; n < 4; n++) {
      await run('find_orders', { customer: `c ${n}` });
      await run('print_invoice', { order: `o ${n}` });
    }
    expect(ids(await plan('find orders, then print'))).toEqual([
      'parcel.find_orders',
      'parcel.print_invoice',
    ]);
  });

  it('a model chooses among the candidates only', async () => {
    says = 'Sure: {"ids":["parcel.print_invoice","parcel.sell_everything","parcel.find_orders"]}';
    expect(ids(await plan(INTENT, { model: 'large' }))).toEqual([
      'parcel.print_invoice',
      'parcel.find_orders',
    ]);
    for (const useless of ['{"ids":["parcel.sell_everything"]}', 'no idea', '{"ids":{}}']) {
      says = useless;
      const answer = await plan(INTENT, { model: 'large' });
      expect(ids(answer), useless).toEqual(PACKS.map(({ name }) => name));
      expect(answer.reasoning).toMatch(/^The model gave no usable answer/);
    }
  });

  it('plans are counted by intent with what became of them, and keep no text of the person', async () => {
    expect(await myPlans(memory())).toMatchObject({ cohorts: [], note: 'Nothing has been planned yet.' });
    await plan(INTENT);
    for (const name of ['find_orders', 'print_label', 'print_invoice'])
      await run(name, { customer: 'Quimby', order: 'o' });
    await plan(INTENT);
    await run('find_orders', { customer: 'Quimby' });
    clock.advance(3_600_000); // a run so long after belongs to no plan
    await run('print_label', { order: 'o' });
    const { cohorts } = await myPlans(memory());
    expect(cohorts).toMatchObject([
      {
        intent: 'find invoice label orders print',
        plans: 2,
        top_tools: [
          { id: 'parcel.find_orders', planned: 2, ran: 2 },
          { id: 'parcel.print_invoice', planned: 2, ran: 1 },
          { id: 'parcel.print_label', planned: 2, ran: 1 },
        ],
        drift: { followed: 1, partly: 1, unused: 0, unplanned: [] },
      },
    ]);
    const forget = (scope: string) => server.call('ada', 'POST', '/api/v1/memory/forget', { scope });
    expect(((await (await forget('pack:helmdeck.plan')).json()) as { deleted: number }).deleted).toBe(4);
    expect((await myPlans(memory())).cohorts).toEqual([]);
  });
});

describe('findings of earlier runs', () => {
  it('the next run of a pack is given what its runs reported most, and another caller nothing of it', async () => {
    await run('print_label', { order: 'torn' });
    expect(given).toEqual([]);
    await run('print_label', { order: 'o' });
    await run('print_label', { order: 'p' });
    expect(given.map(({ code, occurrence_count }) => [code, occurrence_count])).toEqual([
      ['label_small', 2],
      ['label_torn', 1],
    ]);
    await runPack(server, 'bob', 'parcel.print_label', { order: 'o' });
    expect(given).toEqual([]);
    expect(await commonFindings(memory(), 'parcel.find_orders')).toEqual([]);
  });

  it('a pack that generates has the findings of all packs in its instructions', async () => {
    says = '# A post';
    const rewrite = () =>
      runPack(server, 'ada', 'blog.rewrite_for_audience', { source_content: 'x', persona: 'technical' });
    await rewrite();
    await run('print_label', { order: 'o' });
    await rewrite();
    const [before, after] = asked.map(({ messages }) => messages[0]!.content);
    expect(before).not.toContain('label_small');
    expect(after).toContain('reported these problems most; avoid them: label_small.');
  });
});

it('forgetting runs of packs forgets what was decided about their candidates', async () => {
  const request = async (method: string, path: string, body?: object) =>
    (await (await server.call('ada', method, `/api/v1${path}`, body)).json()) as {
      candidates: { id: string }[];
    };
  const seed = async () => {
    for (const customer of ['a', 'b', 'c']) {
      const { order } = (await run('find_orders', { customer })) as { order: string };
      await run('print_invoice', { order });
    }
  };
  await seed();
  const [candidate] = (await request('GET', '/procedures/candidates')).candidates;
  await request('POST', `/procedures/candidates/${candidate!.id}/dismiss`);
  await seed();
  expect((await request('GET', '/procedures/candidates')).candidates).toEqual([]);
  await request('POST', '/memory/forget', { scope: 'packs' });
  await seed();
  expect((await request('GET', '/procedures/candidates')).candidates).toMatchObject([{ id: candidate!.id }]);
});
