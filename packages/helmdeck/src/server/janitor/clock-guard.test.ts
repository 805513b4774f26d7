import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../testing/index.ts';
import { createClockGuard, type LastSeen } from './clock-guard.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 5, 1);

/** A wall clock and a monotonic one; time passes on both, and only the wall clock leaps. */
function clocks(startMs = START_MS) {
  const wall = fakeClock(startMs);
  const monotonic = fakeClock(1_000);
  return {
    now: wall.now,
    monotonicMs: monotonic.now,
    leap: wall.advance,
    pass(ms: number) {
      wall.advance(ms);
      monotonic.advance(ms);
    },
  };
}

function seen(ms?: number): LastSeen & { ms?: number } {
  return {
    ms,
    async read() {
      return this.ms;
    },
    async write(next) {
      this.ms = next;
    },
  };
}

describe('the clock guard', () => {
  it.each([100 * DAY_MS, -100 * DAY_MS, 6 * MINUTE_MS, -6 * MINUTE_MS])(
    'a clock that leaps by %i ms is not trusted for an hour, and then it is',
    async (leapMs) => {
      const time = clocks();
      const guard = createClockGuard(time, seen());
      expect(await guard.isTrusted()).toBe(true);
      time.leap(leapMs);
      for (let minute = 0; minute < 60; minute++) {
        expect(await guard.isTrusted()).toBe(false);
        time.pass(MINUTE_MS);
      }
      expect(await guard.isTrusted()).toBe(true);
    },
  );

  it('a clock that leaps back to the right time is trusted at once, and another leap starts the hour again', async () => {
    const time = clocks();
    const guard = createClockGuard(time, seen());
    await guard.isTrusted();
    time.leap(100 * DAY_MS);
    expect(await guard.isTrusted()).toBe(false);
    time.pass(50 * MINUTE_MS);
    time.leap(DAY_MS);
    expect(await guard.isTrusted()).toBe(false);
    time.pass(50 * MINUTE_MS);
    expect(await guard.isTrusted()).toBe(false);
    time.leap(-101 * DAY_MS);
    expect(await guard.isTrusted()).toBe(true);
  });

  it('a clock that is corrected slowly is trusted all the time', async () => {
    const time = clocks();
    const guard = createClockGuard(time, seen());
    for (let step = 0; step < 100; step++) {
      time.pass(30_000);
      time.leap(MINUTE_MS);
      expect(await guard.isTrusted()).toBe(true);
    }
  });

  it('a start is trusted after a short downtime, and after an hour if the clock is far from the last time that was seen', async () => {
    const last = seen();
    const time = clocks();
    await createClockGuard(time, last).isTrusted();
    expect(last.ms).toBe(START_MS);
    for (const [leapMs, trusted] of [
      [30 * MINUTE_MS, true],
      [100 * DAY_MS, false],
      [-100 * DAY_MS, false],
    ] as const) {
      const restarted = clocks(START_MS + leapMs);
      const guard = createClockGuard(restarted, seen(START_MS));
      expect(await guard.isTrusted(), `${leapMs} ms later`).toBe(trusted);
      restarted.pass(HOUR_MS);
      expect(await guard.isTrusted()).toBe(true);
    }
  });

  it('a clock that an operator confirms is trusted at once, also after a restart, until it leaps again', async () => {
    const last = seen();
    const time = clocks();
    const guard = createClockGuard(time, last);
    await guard.isTrusted();
    time.leap(100 * DAY_MS);
    expect(await guard.isTrusted()).toBe(false);
    await guard.confirm();
    expect(await guard.isTrusted()).toBe(true);
    expect(await createClockGuard(clocks(START_MS + 100 * DAY_MS), last).isTrusted()).toBe(true);
    time.leap(-100 * DAY_MS);
    expect(await guard.isTrusted()).toBe(false);
  });

  it('while the clock is not trusted its time is not saved, so that another restart does not trust it either', async () => {
    const last = seen(START_MS);
    for (let restart = 0; restart < 3; restart++) {
      const guard = createClockGuard(clocks(START_MS + 100 * DAY_MS), last);
      expect(await guard.isTrusted()).toBe(false);
    }
    expect(last.ms).toBe(START_MS);
  });
});

describe('the janitor and a wrong clock', () => {
  let folder: string;
  let server: TestServer | undefined;
  const time = clocks();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'helmdeck-clock-'));
  });
  afterEach(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async () => {
    const env = { HELMDECK_DB: join(folder, 'clock.db'), HELMDECK_MEMORY_KEY: 'a'.repeat(64) };
    server = await testServer({ env, now: time.now, monotonicMs: time.monotonicMs });
    await server.janitor!.tidy();
  };
  const status = async () => (await server!.call('ada', 'GET', '/api/v1/memory/facts/k')).status;
  const metrics = async () => (await server!.call(undefined, 'GET', '/metrics')).text();

  it('a clock that is 100 days ahead for a while, also across a restart, hides expired facts and deletes none', async () => {
    await start();
    await server!.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    time.leap(100 * DAY_MS);
    await server!.janitor!.tidy();
    expect(await status()).toBe(404);
    expect(await metrics()).toMatch(/^helmdeck_sweep_paused 1$/m);
    await server!.close();
    await start();
    expect(await status()).toBe(404);
    time.leap(-100 * DAY_MS);
    await server!.janitor!.tidy();
    expect(await status()).toBe(200);
    expect(await metrics()).toMatch(/^helmdeck_sweep_paused 0$/m);
  });

  it('after an admin confirmed the clock the expired facts are deleted, and others may not confirm it', async () => {
    await start();
    await server!.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    const send = async (method: string, path: string, claims: { tenant?: string; scopes?: string[] }) => {
      const authorization = `Bearer ${await server!.token('root', claims)}`;
      const response = await server!.call(undefined, method, path, undefined, { authorization });
      return { status: response.status, body: await response.json() };
    };
    const storedFacts = async () =>
      (await server!.memory!.parts.store.totals!()).kinds.find(({ kind }) => kind === 'fact')?.rows;
    const admin = { scopes: ['admin'] };
    time.leap(100 * DAY_MS);
    await server!.janitor!.tidy();
    const shown = { now: new Date(time.now()).toISOString(), trusted: false };
    expect(await send('GET', '/api/v1/clock', admin)).toEqual({ status: 200, body: shown });
    for (const claims of [{}, { ...admin, tenant: 'acme' }]) {
      const refused = await send('POST', '/api/v1/clock/confirm', claims);
      expect(refused).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    }
    await server!.janitor!.tidy();
    expect(await storedFacts()).toBe(1);
    const confirmed = await send('POST', '/api/v1/clock/confirm', admin);
    expect(confirmed).toEqual({ status: 200, body: { ...shown, trusted: true } });
    await server!.janitor!.tidy();
    expect(await storedFacts()).toBeUndefined();
    const [record] = await server!.memory!.audit.list(undefined, 1);
    expect(record).toMatchObject({ action: 'clock.confirm', actor: 'root' });
  });

  it('after an hour of agreement the expired facts are deleted', async () => {
    await start();
    await server!.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    time.leap(100 * DAY_MS);
    await server!.janitor!.tidy();
    time.pass(HOUR_MS);
    await server!.janitor!.tidy();
    time.leap(-100 * DAY_MS);
    expect(await status()).toBe(404);
  });
});
