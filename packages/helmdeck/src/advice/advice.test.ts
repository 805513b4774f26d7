import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import pairs from './conflict/pairs.json' with { type: 'json' };

const clock = fakeClock();
let server: TestServer;
beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterEach(() => server.close());

interface Answer {
  version: number;
  similar?: { key: string; score: number }[];
  conflicts?: { key: string; kind: string; mine: string; theirs: string }[];
  echo?: true;
}
async function call(method: string, path: string, body?: unknown, subject = 'ada') {
  const answer = await server.call(subject, method, `/api/v1/memory${path}`, body);
  expect(answer.status).toBe(200);
  return answer.json() as Promise<unknown>;
}
const store = (key: string, value: string, subject?: string) =>
  call('POST', '/store', { key, value }, subject) as Promise<Answer>;
const forget = (scope: string) => call('POST', '/forget', { scope });
const ADVICE = ['similar', 'conflicts', 'echo'];
const adviceIn = (answer: object) => Object.keys(answer).filter((name) => ADVICE.includes(name));

describe('advice on a store', () => {
  it('a store reports facts with nearly the same text, most similar first', async () => {
    await store('deploy/billing', 'Billing is deployed with Konflux every Tuesday morning');
    await store('other', 'Ada has a cat called Miso');
    const { similar } = await store(
      'billing-deploys',
      'billing is deployed with Konflux, every Tuesday morning.',
    );
    expect(similar).toMatchObject([{ key: 'deploy/billing' }]);
    expect(similar![0]!.score).toBeGreaterThan(0.72);
    expect(similar![0]!.score).toBeLessThanOrEqual(1);
  });

  it.each(['number', 'date', 'polarity', 'choice'])(
    'a store reports another fact that contradicts it by a %s',
    async (kind) => {
      const pair = pairs.find(({ label, split }) => label === kind && split === 'train')!;
      await store(pair.a.key, pair.a.value);
      await store('other', 'Ada has a cat called Miso');
      const { conflicts } = await store(pair.b.key, pair.b.value);
      expect(conflicts).toMatchObject([{ key: pair.a.key, kind }]);
      expect(pair.b.value.toLowerCase()).toContain(conflicts![0]!.mine.toLowerCase());
      expect(pair.a.value.toLowerCase()).toContain(conflicts![0]!.theirs.toLowerCase());
    },
  );

  it.each(pairs.filter(({ label, split }) => label !== 'none' && split === 'train').slice(0, 20))(
    'an update from "$a.value" to "$b.value" reports no conflict with the value it replaces',
    async ({ a, b }) => {
      await store('status', a.value);
      expect(adviceIn(await store('status', b.value))).toEqual([]);
      expect(adviceIn(await store('status', a.value))).toEqual([]);
    },
  );

  it('an update reports the facts under other keys that contradict it', async () => {
    await store('infra/cluster', 'staging has 3 replicas');
    await store('notes/today', 'staging has 3 replicas');
    await store('other', 'Ada has a cat called Miso');
    expect((await store('notes/today', 'staging has 5 replicas')).conflicts).toMatchObject([
      { key: 'infra/cluster', kind: 'number', mine: '5', theirs: '3' },
    ]);
  });
});

describe('stores without advice', () => {
  it('a store reports nothing about facts on other topics', async () => {
    await store('cat', 'Ada has a cat called Miso');
    await store('tea', 'green tea without sugar');
    expect(adviceIn(await store('deploy', 'Billing is deployed with Konflux'))).toEqual([]);
  });

  it('a store reports nothing about forgotten or expired facts', async () => {
    const body = { value: 'staging has 3 replicas', ttl_seconds: 3600 };
    await call('POST', '/store', { key: 'a', ...body });
    await call('POST', '/store', { key: 'b', ...body });
    await forget('key:a');
    clock.advance(3_601_000);
    expect(adviceIn(await store('c', 'staging has 5 replicas'))).toEqual([]);
  });

  it("a store reports nothing of another caller's facts, nor of what that caller recalled or forgot", async () => {
    await store('secret', 'staging has 3 replicas', 'bob');
    await call('GET', '/search?q=staging', undefined, 'bob');
    await store('gone', 'a text that bob forgot a moment ago, word by word', 'bob');
    await call('GET', '/search?q=text', undefined, 'bob');
    await call('POST', '/forget', { scope: 'key:gone' }, 'bob');
    await store('more', 'bob stores on', 'bob');
    for (const value of [
      'staging has 3 replicas',
      'staging has 5 replicas',
      'a text that bob forgot a moment ago, word by word',
    ])
      expect(adviceIn(await store('secret', value, 'eve'))).toEqual([]);
  });

  it('a store in a batch gets no advice', async () => {
    await store('a', 'staging has 3 replicas');
    const facts = [{ key: 'b', value: 'staging has 5 replicas' }];
    const { results } = (await call('POST', '/store/batch', { facts })) as { results: object[] };
    expect(adviceIn(results[0]!)).toEqual([]);
  });

  it('stores of a bulk load succeed without advice, and get advice again afterwards', async () => {
    await store('a', 'staging has 3 replicas');
    for (let number = 0; number < 500; number++) await store(`flood/${number}`, `number ${number}`);
    const late = await store('b', 'staging has 5 replicas');
    expect([late.version, adviceIn(late)]).toEqual([1, []]);
    clock.advance(1_000);
    expect(adviceIn(await store('c', 'staging has 7 replicas'))).toEqual([]);
    clock.advance(2_000);
    expect(adviceIn(await store('d', 'staging has 9 replicas'))).toContain('conflicts');
  });

  it('a failed store does not block advice on the next one', async () => {
    await store('a', 'staging has 3 replicas');
    const refused = { key: 'a', value: 'staging has 4 replicas', if_version: 9 };
    expect((await server.call('ada', 'POST', '/api/v1/memory/store', refused)).status).toBe(412);
    expect(adviceIn(await store('b', 'staging has 8 replicas'))).toContain('conflicts');
  });

  it('a store right after a bulk load gets no advice until the image has caught up', async () => {
    await store('a', 'staging has 3 replicas');
    await store('warm', 'so that the image is there');
    const facts = Array.from({ length: 500 }, (_, n) => ({ key: `load/${n}`, value: `number ${n}` }));
    await call('POST', '/store/batch', { facts });
    await call('POST', '/store/batch', { facts: [{ key: 'one-more', value: 'and one more' }] });
    expect(adviceIn(await store('b', 'staging has 5 replicas'))).toEqual([]);
    await call('GET', '/search?q=staging');
    expect(adviceIn(await store('c', 'staging has 7 replicas'))).toContain('conflicts');
  });

  it('the replayed response to a repeated request has no advice, because it could quote a forgotten fact', async () => {
    await store('a', 'staging has 3 replicas');
    const again = () =>
      server.call(
        'ada',
        'POST',
        '/api/v1/memory/store',
        { key: 'b', value: 'staging has 5 replicas' },
        {
          'idempotency-key': 'once',
        },
      );
    const first = (await (await again()).json()) as Answer;
    expect(first.conflicts).toMatchObject([{ key: 'a' }]);
    await forget('key:a');
    const repeated = await (await again()).text();
    expect(repeated).toContain('"key":"b"');
    expect(repeated).not.toContain('3 replicas');
    expect(adviceIn(JSON.parse(repeated))).toEqual([]);
  });

  it('a fact is stored without advice when the adviser fails', async () => {
    await store('a', 'staging has 3 replicas');
    const { adviser } = server.memory!;
    adviser.advise = () => Promise.reject(new Error('broken'));
    expect(adviceIn(await store('b', 'staging has 5 replicas'))).toEqual([]);
    expect(await call('GET', '/facts/b')).toMatchObject({ value: 'staging has 5 replicas' });
  });
});

describe('echoes', () => {
  const TEXT = 'Billing is deployed with Konflux every Tuesday morning';

  it('a text is an echo after a search that found it', async () => {
    await store('a', TEXT);
    expect(await store('b', 'something else entirely')).not.toHaveProperty('echo');
    await call('GET', '/search?q=konflux');
    expect(await store('c', TEXT)).toMatchObject({ echo: true });
    expect(await store('d', `As I recall: ${TEXT}`)).toMatchObject({ echo: true });
    expect(await store('e', 'A new thought about Konflux')).not.toHaveProperty('echo');
    clock.advance(15 * 60_000);
    expect(await store('f', TEXT)).not.toHaveProperty('echo');
  });

  it('what an update keeps of the value it replaces is no echo, and what it takes from another fact is', async () => {
    await store('a', TEXT);
    await store('b', 'Billing is owned by the payments team');
    await call('GET', '/search?q=konflux');
    await call('GET', '/search?q=payments');
    expect(await store('a', `${TEXT}. Never on holidays.`)).not.toHaveProperty('echo');
    expect(await store('b', `Billing is owned by the payments team. ${TEXT}`)).toMatchObject({ echo: true });
  });

  it.each(['key:a', 'facts', 'all', 'prefix:a'])(
    'a text is an echo after it was forgotten by %s',
    async (scope) => {
      await store('a', TEXT);
      await store('z', 'something else entirely');
      await forget(scope);
      expect(await store('b', TEXT)).toMatchObject({ echo: true });
    },
  );

  it('a text is an echo even if it was forgotten right after its store', async () => {
    await store('a', TEXT);
    await forget('key:a');
    expect(await store('b', TEXT)).toMatchObject({ echo: true });
  });
});
