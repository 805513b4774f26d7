import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { caller, fill, questionAt, startRecall } from './recall-server.ts';

// Searches with the built-in model while it works off a backlog, beside searches after it; and how fast it works it off.

const WARM_FACTS = 50;
const FACTS = 1_500;
const SEARCHES = 150;
const PAUSE_MS = 20;

/** Runs searches one after another, with a pause between them, and no query twice. */
async function searches(first: number, { server, memory }: Awaited<ReturnType<typeof startRecall>>) {
  const times: number[] = [];
  let degraded = 0;
  for (let number = 0; number < SEARCHES; number++) {
    const startMs = performance.now();
    await server.memory!.recall.search(memory, questionAt(first + number, FACTS), (answer) => {
      if (answer.degraded) degraded++;
    });
    times.push(performance.now() - startMs);
    await delay(PAUSE_MS);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return { p50: at(0.5), p95: at(0.95), degraded };
}

export async function measureBacklog() {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-backlog-'));
  const started = await startRecall(folder, Date.now, { HELMDECK_EMBEDDINGS_URL: 'builtin' });
  const { server, memory } = started;
  const { recall } = server.memory!;
  const waiting = () => recall.status().embeddings!.waiting;
  await memory.directory.findOrCreate(caller);
  // Both threads read the model and compile what is compiled on first use.
  await fill(memory, WARM_FACTS);
  await recall.search(memory, questionAt(0, FACTS), () => {});
  await recall.embedded();
  await searches(10_000, started);
  await fill(memory, FACTS, WARM_FACTS);
  await recall.search(memory, questionAt(0, FACTS), () => {});
  const [startMs, before] = [performance.now(), waiting()];
  const during = await searches(1, started);
  const workedOff = before - waiting();
  const seconds = (performance.now() - startMs) / 1_000;
  const isBacklogLeft = waiting() > 0;
  await recall.embedded();
  const after = await searches(SEARCHES + 1, started);
  await server.close();
  rmSync(folder, { recursive: true });
  const both = ({ p50, p95 }: typeof after) => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  return {
    'searches during the backlog p50/p95 ms': both(during),
    'after it': both(after),
    'p95 ratio': Number((during.p95 / after.p95).toFixed(2)),
    'degraded during, after': `${during.degraded}, ${after.degraded} of ${SEARCHES}`,
    'facts embedded a second meanwhile': Math.round(workedOff / seconds),
    'backlog lasted': isBacklogLeft,
  };
}
