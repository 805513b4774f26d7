import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RestMetrics } from '../surfaces/rest/route.ts';

export interface Metrics extends RestMetrics {
  committed(writes: number): void;
  swept(rows: number): void;
  memoryOn(on: boolean): void;
}

/** What the process counts about itself; labels are route patterns, never paths or callers. */
export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const registry = registers[0]!;
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'helmdeck_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'helmdeck_http_request_seconds',
    help: 'Time to answer by route',
    labelNames: ['route', 'method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2],
    registers,
  });
  const commits = new Counter({ name: 'helmdeck_commits_total', help: 'Durable commits', registers });
  const writes = new Counter({
    name: 'helmdeck_writes_total',
    help: 'Writes that shared those commits',
    registers,
  });
  const swept = new Counter({ name: 'helmdeck_swept_rows_total', help: 'Expired rows removed', registers });
  const memory = new Gauge({ name: 'helmdeck_memory_on', help: '1 while memory is on', registers });
  // Looking labels up costs more than counting, and there are only so many routes and statuses.
  const children = new Map<
    string,
    { requests: Counter.Internal; seconds: Histogram.Internal<'route' | 'method'> }
  >();
  function childrenOf(route: string, method: string, status: number) {
    const name = `${status} ${method} ${route}`;
    let found = children.get(name);
    if (!found) {
      found = {
        requests: requests.labels(route, method, String(status)),
        seconds: seconds.labels(route, method),
      };
      children.set(name, found);
    }
    return found;
  }
  return {
    observe(route, method, status, time) {
      const child = childrenOf(route, method, status);
      child.requests.inc();
      child.seconds.observe(time);
    },
    committed(count) {
      commits.inc();
      writes.inc(count);
    },
    swept: (rows) => swept.inc(rows),
    memoryOn: (on) => memory.set(on ? 1 : 0),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
