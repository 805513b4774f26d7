import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { createMemory } from '../memory/memory.ts';
import { runPack, type TestServer, testServer } from '../testing/index.ts';
import { learnedDefaults } from './history/defaults.ts';
import { definePack, type PackContext, type PackDefinition } from './pack/pack.ts';
import type { Interceptor } from './run.ts';

const anything = z.looseObject({});
let server: TestServer;
afterEach(() => server?.close());

type AnyDefinition = PackDefinition<typeof anything, typeof anything>;

/** A server with one pack of this handler, called `test.pack`. */
async function serverWith(
  handler: (ec: PackContext<Record<string, unknown>>) => unknown,
  definition: Partial<AnyDefinition> = {},
  interceptors: Interceptor[] = [],
): Promise<TestServer> {
  const pack = definePack({
    name: 'test.pack',
    version: 'v1',
    description: 'For a test.',
    input: anything,
    output: anything,
    handler: handler as AnyDefinition['handler'],
    ...definition,
  });
  server = await testServer({ packs: [pack], interceptors, env: { HELMDECK_RATE_LIMIT: 'off' } });
  return server;
}

function fail(): never {
  throw new Error('hunter2');
}

const run = (input: object = {}, options = {}) => runPack(server, 'ada', 'test.pack', input, options);
const rows = async () =>
  (await learnedDefaults(createMemory(server.memory!.parts, { subject: 'ada' }))).recent.map(
    ({ outcome }) => outcome,
  );

describe('running a pack', () => {
  it('a run returns the handler’s output', async () => {
    await serverWith(({ input }) => ({ twice: Number(input.n) * 2 }));
    expect(await run({ n: 4 })).toEqual({
      pack: 'test.pack',
      version: 'v1',
      output: { twice: 8 },
      duration_ms: expect.any(Number),
    });
    expect(await rows()).toEqual(['ok']);
  });

  it('additional interceptors run in the given order around the handler', async () => {
    const seen: string[] = [];
    const layer =
      (name: string): Interceptor =>
      async (each, next) => {
        seen.push(`${name} in`);
        const outcome = await next({ ...each, input: { ...(each.input as object), [name]: true } });
        seen.push(`${name} out`);
        return outcome;
      };
    await serverWith(({ input }) => input, {}, [layer('first'), layer('second')]);
    expect((await run()).output).toEqual({ first: true, second: true });
    expect(seen).toEqual(['first in', 'second in', 'second out', 'first out']);
  });

  it('a run without the scopes that the pack requires is refused', async () => {
    await serverWith(() => ({}), { scopes: ['vault:read'] });
    await expect(run()).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(run({}, { scopes: new Set(['vault:read']) })).resolves.toBeTruthy();
    await expect(run({}, { scopes: new Set(['admin']) })).resolves.toBeTruthy();
  });

  it('a run of an unknown pack or version fails with not_found', async () => {
    await serverWith(() => ({}));
    await expect(runPack(server, 'ada', 'test.other')).rejects.toMatchObject({ code: 'not_found' });
    await expect(run({}, { version: 'v2' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('packs run without memory', async () => {
    const pack = definePack({
      name: 'test.pack',
      version: 'v1',
      description: 'For a test.',
      input: anything,
      output: anything,
      memory: { cache: { ttlSeconds: 5 }, capture: { prefix: 'x', ttlSeconds: 5 }, context: true },
      handler: (ec) => ({ memory: ec.memory === undefined, context: ec.context === undefined }),
    });
    server = await testServer({ packs: [pack], env: { HELMDECK_MEMORY: 'off' } });
    expect(await run()).toMatchObject({ output: { memory: true, context: true } });
    expect((await run()).cache).toBeUndefined();
    await expect(run({ _session_id: 'sess_x' })).rejects.toMatchObject({ code: 'session_unavailable' });
    const intent = { user_intent: 'a digest of the issues of a/b' };
    const route = await runPack(server, 'ada', 'helmdeck.route', intent);
    expect(route.output, 'pipelines cannot be run either').not.toMatchObject({
      recommendation: { kind: 'pipeline' },
    });
    const forget = runPack(server, 'ada', 'helmdeck.memory_forget', { scope: 'all' });
    await expect(forget).rejects.toMatchObject({ code: 'memory_unavailable' });
  });
});

describe('failures', () => {
  it('an exception in a handler becomes handler_failed without its text', async () => {
    await serverWith(() => {
      throw new Error('the password is hunter2');
    });
    const error = await run().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'handler_failed', reason: 'unexpected' });
    expect(error.message).not.toContain('hunter2');
    expect(await rows()).toEqual(['handler_failed']);
  });

  it.each([
    [new AppError('credential_invalid', 'The token was refused.'), 'credential_invalid'],
    [new AppError('token_expired', 'Not yours to say.'), 'handler_failed'],
    [Object.assign(new Error('copy'), { name: 'AppError', code: 'artifact_failed' }), 'artifact_failed'],
    [Object.assign(new Error('copy'), { name: 'AppError', code: 'made_up' }), 'handler_failed'],
    [Object.assign(new Error('slow'), { name: 'TimeoutError' }), 'timeout'],
    ['a string', 'handler_failed'],
    [undefined, 'handler_failed'],
  ])('a handler that throws %s fails the run with %s', async (thrown, code) => {
    await serverWith(() => {
      throw thrown;
    });
    await expect(run()).rejects.toMatchObject({ code });
    expect(await rows()).toEqual([code]);
  });

  it('a hanging handler is ended at its deadline and loses access to all services', async () => {
    let leftOver: PackContext | undefined;
    await serverWith(
      (ec) => {
        leftOver = ec;
        return new Promise(() => {});
      },
      { deadlineMs: 30 },
    );
    await expect(run()).rejects.toMatchObject({ code: 'timeout', reason: 'deadline' });
    expect(await rows()).toEqual(['timeout']);
    expect(leftOver!.signal.aborted).toBe(true);
    await expect(leftOver!.memory!.store('a', 'b')).rejects.toMatchObject({ reason: 'cancelled' });
    await expect(leftOver!.memory!.list()).rejects.toMatchObject({ reason: 'cancelled' });
    await expect(leftOver!.fetch('http://example.com')).rejects.toMatchObject({ reason: 'cancelled' });
    await expect(leftOver!.vault.read('x')).rejects.toMatchObject({ reason: 'cancelled' });
    await expect(leftOver!.artifacts.get('x')).rejects.toMatchObject({ reason: 'cancelled' });
    expect(() => leftOver!.progress(50)).not.toThrow();
  });

  it('the signal is aborted when a handler returns, so that background work stops', async () => {
    let stopped = false;
    await serverWith(({ signal }) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return {};
    });
    await run();
    expect(stopped).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'text'],
    ['a list', []],
    ['a number it may not', { n: 'x' }],
    ['a big number', { n: 1, big: 1n }],
    [
      'a circle',
      (() => {
        const circle: Record<string, unknown> = { n: 1 };
        circle.self = circle;
        return circle;
      })(),
    ],
  ])('a handler that returns %s fails the run with invalid_output', async (_name, value) => {
    await serverWith(() => value, { output: z.looseObject({ n: z.number() }) as never });
    await expect(run()).rejects.toMatchObject({ code: 'invalid_output' });
    expect(await rows()).toEqual(['invalid_output']);
  });

  it.each<[string, Partial<AnyDefinition>]>([
    ['checks the input', { input: anything.refine(() => fail()) }],
    ['checks the input later', { input: anything.refine(async () => true) }],
    ['checks the output', { output: anything.refine(() => fail()) }],
    ['varies the cache', { memory: { cache: { ttlSeconds: 60, vary: () => fail() } } }],
    [
      'is read from what it returns',
      {
        handler: () =>
          ({
            get findings(): never {
              return fail();
            },
          }) as never,
      },
    ],
  ])(
    'pack code that %s and throws fails the run with handler_failed and leaves a run record',
    async (_name, definition) => {
      await serverWith(() => ({}), definition);
      await expect(run()).rejects.toMatchObject({ code: 'handler_failed', reason: 'unexpected' });
      expect(await rows()).toEqual(['handler_failed']);
    },
  );

  it('an output over 64 MiB fails the run with invalid_output', async () => {
    await serverWith(() => ({ text: 'x'.repeat(65 * 1024 * 1024) }));
    await expect(run()).rejects.toMatchObject({ code: 'invalid_output', reason: 'too_large' });
    expect(await rows()).toEqual(['invalid_output']);
  });

  it('a run whose caller disconnects is cancelled and leaves a run record', async () => {
    let stopped = false;
    await serverWith(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(signal.reason);
          });
        }),
    );
    const gone = new AbortController();
    const running = run({}, { signal: gone.signal });
    gone.abort();
    await expect(running).rejects.toMatchObject({ code: 'timeout', reason: 'cancelled' });
    expect(stopped).toBe(true);
    expect(await rows()).toEqual(['timeout']);
    await expect(run({}, { signal: gone.signal })).rejects.toMatchObject({ reason: 'cancelled' });
  });

  it('progress is throttled to ten reports a second and 200 characters each', async () => {
    const heard: { percent: number; message?: string }[] = [];
    await serverWith(({ progress }) => {
      const long = 'x'.repeat(10_000);
      for (let n = 0; n < 100_000; n++) progress(n / 1000, long);
      progress(100, 'done');
      progress(100, 'done again');
      return {};
    });
    await run({}, { onProgress: (each: { percent: number; message?: string }) => heard.push(each) });
    expect(heard.length).toBeLessThan(50);
    expect(heard.at(-1)).toMatchObject({ percent: 100, message: 'done' });
    expect(Math.max(...heard.map(({ message = '' }) => message.length))).toBe(200);
  });

  it('a run continues when the store fails, and its memory calls reject', async () => {
    await serverWith(
      async ({ memory }) => {
        await server.memory!.parts.store.close();
        const problem = await memory!.store('a', 'b').catch((thrown) => thrown);
        return { failed: problem instanceof Error };
      },
      { memory: { capture: { prefix: 'captured', ttlSeconds: 60 }, cache: { ttlSeconds: 60 } } },
    );
    expect(await run()).toMatchObject({ output: { failed: true }, cache: { status: 'miss' } });
    expect(await run()).toMatchObject({ output: { failed: true } });
  });

  it('closing the engine ends all runs and rejects new ones', async () => {
    await serverWith(() => new Promise(() => {}));
    const running = run();
    await sleep(5);
    server.engine.close();
    await expect(running).rejects.toMatchObject({ code: 'resource_exhausted', reason: 'closing' });
    await expect(run()).rejects.toMatchObject({ reason: 'closing' });
  });

  it('an interceptor that throws fails the run with internal, without its text', async () => {
    await serverWith(() => ({}), {}, [
      async () => {
        throw new Error('secret');
      },
    ]);
    const error = await run().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'internal' });
    expect(error.message).not.toContain('secret');
    expect(await rows()).toEqual(['internal']);
  });

  it('a caller with 2,000 concurrent runs is refused while other callers are served', async () => {
    await serverWith(() => new Promise(() => {}));
    const running = Array.from({ length: 2_000 }, () => run().catch(() => undefined));
    await expect(run()).rejects.toMatchObject({ code: 'resource_exhausted', reason: 'too_many_runs' });
    const bob = runPack(server, 'bob', 'helmdeck.memory_history', { key: 'none' });
    await expect(bob, 'another caller is served').rejects.toMatchObject({ code: 'not_found' });
    server.engine.close();
    await Promise.all(running);
    await expect(run()).rejects.toMatchObject({ reason: 'closing' });
  });
});

describe('erasing a caller', () => {
  it('erasing a caller cancels their runs first, so that nothing is written afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    let ended = 0;
    await serverWith(
      async ({ memory, signal }) => {
        begun++;
        await Promise.race([gate.promise, once(signal, 'abort')]);
        await memory!.store('late', 'x').catch(() => {});
        ended++;
        return {};
      },
      { memory: { capture: { prefix: 'late', ttlSeconds: 60 }, cache: { ttlSeconds: 60 } } },
    );
    const stopped = expect(run({ title: 'private' })).rejects.toMatchObject({ reason: 'cancelled' });
    const others = runPack(server, 'bob', 'test.pack', {});
    await expect.poll(() => begun).toBe(2);
    const erased = await runPack(server, 'ada', 'helmdeck.memory_forget', { scope: 'erase' });
    expect(erased.output, 'the run that erases is not cancelled').toMatchObject({ receipt: {} });
    await stopped;
    await expect.poll(() => ended).toBe(1);
    await sleep(20); // lets the interceptors of the cancelled run finish
    await server.memory!.parts.pending.drain();
    expect(await server.memory!.parts.directory.find({ subject: 'ada' })).toBeUndefined();
    gate.resolve();
    expect((await others).output, 'the run of another caller continues').toEqual({});
  });
});

describe('rate limit', () => {
  it('runs over the rate limit are refused and leave no run record', async () => {
    const pack = definePack({
      name: 'test.pack',
      version: 'v1',
      description: 'For a test.',
      input: anything,
      output: anything,
      handler: () => ({}),
    });
    server = await testServer({ packs: [pack], env: { HELMDECK_RATE_LIMIT: '5' }, now: () => 1_000_000 });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => run()));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(40);
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason.code).toBe('rate_limited');
    expect(await rows()).toEqual(Array(10).fill('ok'));
  });
});

describe('input validation', () => {
  const input = z.strictObject({ n: z.number(), inner: z.object({ list: z.array(z.string()) }).optional() });

  it.each([
    [{}, 'n', 'bad_type'],
    [{ n: 'secret text' }, 'n', 'bad_type'],
    [{ n: 1, more: 2 }, 'more', 'unknown_field'],
    [{ n: 1, inner: { list: ['a', 5] } }, 'inner.list.1', 'bad_type'],
    [null, '', 'bad_type'],
    ['text', '', 'bad_type'],
    [[], '', 'bad_type'],
  ])('the input %j is refused with the field and without the value', async (body, field, reason) => {
    await serverWith(() => ({}), { input: input as never });
    const error = await run(body as object).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_input', reason });
    expect(error.message).toContain(field);
    expect(error.message).not.toContain('secret text');
    expect(await rows()).toEqual(['invalid_input']);
  });

  it('an input nested deeper than 100 levels is refused', async () => {
    const memory = { cache: { ttlSeconds: 60 }, capture: { prefix: 'x', ttlSeconds: 60 } };
    await serverWith(({ input }) => ({ input }), { memory });
    const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    await expect(run({ nested: nested(100_000) })).rejects.toMatchObject({ reason: 'too_deep' });
    expect(await run({ nested: nested(90) })).toMatchObject({ cache: { status: 'miss' } });
  });

  it('a session id that is not a string is refused', async () => {
    await serverWith(() => ({}));
    await expect(run({ _session_id: 5 })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
