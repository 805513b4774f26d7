import { Histogram, type Registry } from 'prom-client';
import type { DatabaseConnections } from '../../memory/store.ts';
import type { ScrapedMetrics } from './scraped.ts';

const CALL_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15];

/** Metrics of the connections to PostgreSQL or Redis; returns the observer of their calls. */
export function createDatabaseMetrics(
  registers: Registry[],
  { gauge, counter }: ScrapedMetrics,
  connections: () => DatabaseConnections | undefined,
): (seconds: number) => void {
  const calls = new Histogram({
    name: 'helmdeck_database_call_seconds',
    help: 'How long a call to PostgreSQL or Redis took, its wait for a connection included',
    buckets: CALL_BUCKETS_SECONDS,
    registers,
  });
  gauge('helmdeck_database_connections', 'Connections that are ready', () => connections()?.open);
  gauge(
    'helmdeck_database_busy_connections',
    'Connections of the PostgreSQL pool that execute a statement',
    () => connections()?.pool?.busy,
  );
  gauge(
    'helmdeck_database_max_connections',
    'Connections that the PostgreSQL pool may open',
    () => connections()?.pool?.max,
  );
  gauge(
    'helmdeck_database_pending_calls',
    'Calls to PostgreSQL or Redis without a response yet',
    () => connections()?.pendingCalls,
  );
  counter(
    'helmdeck_database_lost_connections_total',
    'Connections that were ready and then broke',
    () => connections()?.lost,
  );
  counter(
    'helmdeck_database_reconnects_total',
    'Connections made in place of a lost one',
    () => connections()?.reconnects,
  );
  return (seconds) => calls.observe(seconds);
}
