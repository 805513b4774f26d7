import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RunHistory } from '../../engine/history/run-history.ts';
import type { Jobs } from '../../engine/jobs.ts';
import type { PipelineRuns } from '../../engine/pipeline/pipeline-runs.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RestMetrics } from '../../surfaces/rest/route.ts';
import { VERSION } from '../process/version.ts';
import { type BackupMetrics, createBackupMetrics } from './backup-metrics.ts';
import { createDatabaseMetrics } from './database-metrics.ts';
import { type CountedMemory, createMemoryMetrics } from './memory-metrics.ts';
import { createRecallMetrics } from './recall-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { scrapedMetrics } from './scraped.ts';

/** The Prometheus metrics of the process. Labels are route patterns, never paths or callers. */
export interface Metrics extends RestMetrics {
  committed(writes: number, seconds: number): void;
  /** A call to the database server ended. */
  called(seconds: number): void;
  swept(rows: number): void;
  /** Whether expired rows are not swept because the clock leapt. */
  sweepPaused(paused: boolean): void;
  memoryOn(on: boolean): void;
  readonly backups: BackupMetrics;
  /** The memory whose contents, search images and lost run records are reported. */
  watch(memory: WatchedMemory): void;
  /** The jobs and pipeline runs whose number is reported. */
  watchRuns(jobs: Pick<Jobs, 'running'>, pipelineRuns: Pick<PipelineRuns, 'running'> | undefined): void;
  packRan(pack: string, outcome: string, cache: string, seconds: number): void;
}

export interface WatchedMemory {
  parts: CountedMemory;
  recall: Pick<Recall, 'status'>;
  history: Pick<RunHistory, 'lost'>;
}

const COMMIT_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const registry = registers[0]!;
  collectDefaultMetrics({ register: registry });
  const commits = new Counter({ name: 'helmdeck_commits_total', help: 'Durable commits', registers });
  const commitSeconds = new Histogram({
    name: 'helmdeck_commit_seconds',
    help: 'How long a commit took to be durable: the sync of the log, or the call to the database server',
    buckets: COMMIT_BUCKETS_SECONDS,
    registers,
  });
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
  const errors = new Counter({
    name: 'helmdeck_http_errors_total',
    help: 'Requests that were refused or failed, by route and error code',
    labelNames: ['route', 'code'],
    registers,
  });
  const streams = new Gauge({ name: 'helmdeck_open_streams', help: 'Open streams of events', registers });
  const sessions = new Gauge({ name: 'helmdeck_mcp_sessions', help: 'Open MCP sessions', registers });
  const build = new Gauge({
    name: 'helmdeck_build_info',
    help: 'Always 1; its labels are the versions of Helmdeck and Node',
    labelNames: ['version', 'node'],
    registers,
  });
  build.set({ version: VERSION, node: process.versions.node }, 1);
  let watched: WatchedMemory | undefined;
  let running = { jobs: () => 0, pipelineRuns: () => 0 };
  const scraped = scrapedMetrics(registers);
  createMemoryMetrics(scraped, () => watched?.parts);
  const called = createDatabaseMetrics(registers, scraped, () => watched?.parts.store.connections?.());
  createRecallMetrics(scraped, () => watched?.recall.status());
  scraped.counter(
    'helmdeck_run_records_lost_total',
    'Run records dropped because the store was unavailable for too long',
    () => watched?.history.lost,
  );
  scraped.gauge('helmdeck_jobs_running', 'Jobs that this node runs', () => running.jobs());
  scraped.gauge('helmdeck_pipeline_runs_running', 'Pipeline runs that this node executes', () =>
    running.pipelineRuns(),
  );
  const requests = createRequestMetrics();
  return {
    observe: requests.observe,
    backups: createBackupMetrics(registers),
    watch(memory) {
      watched = memory;
    },
    watchRuns(jobs, pipelineRuns) {
      running = { jobs: jobs.running, pipelineRuns: () => pipelineRuns?.running() ?? 0 };
    },
    failed: (route, code) => errors.inc({ route, code }),
    streams: (change) => streams.inc(change),
    sessions: (open) => sessions.set(open),
    committed(count, seconds) {
      commits.inc();
      commitSeconds.observe(seconds);
      writes.inc(count);
    },
    called,
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
