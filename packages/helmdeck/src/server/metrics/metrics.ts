import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RunHistory } from '../../engine/history/run-history.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RestMetrics } from '../../surfaces/rest/route.ts';
import { type BackupMetrics, createBackupMetrics } from './backup-metrics.ts';
import { createRecallMetrics } from './recall-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

/** The Prometheus metrics of the process. Labels are route patterns, never paths or callers. */
export interface Metrics extends RestMetrics {
  committed(writes: number): void;
  swept(rows: number): void;
  /** Whether expired rows are not swept because the clock leapt. */
  sweepPaused(paused: boolean): void;
  memoryOn(on: boolean): void;
  readonly backups: BackupMetrics;
  /** The memory whose search images and lost run records are reported. */
  watch(memory: WatchedMemory): void;
  packRan(pack: string, outcome: string, cache: string, seconds: number): void;
}

export interface WatchedMemory {
  recall: Pick<Recall, 'status'>;
  history: Pick<RunHistory, 'lost'>;
}

export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const registry = registers[0]!;
  collectDefaultMetrics({ register: registry });
  const commits = new Counter({ name: 'helmdeck_commits_total', help: 'Durable commits', registers });
  const writes = new Counter({
    name: 'helmdeck_writes_total',
    help: 'Writes that shared those commits',
    registers,
  });
  const swept = new Counter({ name: 'helmdeck_swept_rows_total', help: 'Expired rows removed', registers });
  const paused = new Gauge({
    name: 'helmdeck_sweep_paused',
    help: '1 while expired rows are not removed because the clock leapt',
    registers,
  });
  const memory = new Gauge({ name: 'helmdeck_memory_on', help: '1 while memory is on', registers });
  const runs = new Counter({
    name: 'helmdeck_pack_runs_total',
    help: 'Runs by pack, outcome and cache status',
    labelNames: ['pack', 'outcome', 'cache'],
    registers,
  });
  const runSeconds = new Counter({
    name: 'helmdeck_pack_seconds_total',
    help: 'Time spent in runs by pack',
    labelNames: ['pack'],
    registers,
  });
  let watched: WatchedMemory | undefined;
  createRecallMetrics(registers, () => watched?.recall.status());
  new Counter({
    name: 'helmdeck_run_records_lost_total',
    help: 'Run records dropped because the store was unavailable for too long',
    registers,
    collect() {
      this.reset();
      this.inc(watched?.history.lost ?? 0);
    },
  });
  const requests = createRequestMetrics();
  return {
    observe: requests.observe,
    backups: createBackupMetrics(registers),
    watch(memory) {
      watched = memory;
    },
    committed(count) {
      commits.inc();
      writes.inc(count);
    },
    swept: (rows) => swept.inc(rows),
    sweepPaused: (isPaused) => paused.set(isPaused ? 1 : 0),
    memoryOn: (on) => memory.set(on ? 1 : 0),
    packRan(pack, outcome, cache, seconds) {
      runs.inc({ pack, outcome, cache });
      runSeconds.inc({ pack }, seconds);
    },
    render: async () => ({
      contentType: registry.contentType,
      text: `${await registry.metrics()}\n${requests.render()}`,
    }),
  };
}
