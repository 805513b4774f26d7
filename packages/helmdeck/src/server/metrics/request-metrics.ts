/** A histogram of request durations by route, method and status. */
export interface RequestMetrics {
  observe(route: string, method: string, status: number, seconds: number): void;
  /** In the Prometheus text format. */
  render(): string;
}

const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2];

interface Series {
  labels: string;
  count: number;
  sumSeconds: number;
  /** Observations per bucket, not cumulative. */
  buckets: number[];
}

/** Not prom-client: it hashes the labels of every observation, which is too slow for a path that every request takes. */
export function createRequestMetrics(): RequestMetrics {
  const series = new Map<string, Series>();
  return {
    observe(route, method, status, seconds) {
      const name = `${status} ${method} ${route}`;
      let entry = series.get(name);
      if (!entry) {
        const labels = `route="${route}",method="${method}",status="${status}"`;
        entry = { labels, count: 0, sumSeconds: 0, buckets: BUCKETS_SECONDS.map(() => 0) };
        series.set(name, entry);
      }
      entry.count++;
      entry.sumSeconds += seconds;
      const bucket = BUCKETS_SECONDS.findIndex((limit) => seconds <= limit);
      if (bucket >= 0) entry.buckets[bucket]!++;
    },
    render() {
      const lines = [
        '# HELP helmdeck_http_request_seconds Duration of HTTP requests',
        '# TYPE helmdeck_http_request_seconds histogram',
      ];
      for (const { labels, count, sumSeconds, buckets } of series.values()) {
        let cumulative = 0;
        for (const [index, limit] of BUCKETS_SECONDS.entries()) {
          cumulative += buckets[index]!;
          lines.push(`helmdeck_http_request_seconds_bucket{${labels},le="${limit}"} ${cumulative}`);
        }
        lines.push(`helmdeck_http_request_seconds_bucket{${labels},le="+Inf"} ${count}`);
        lines.push(`helmdeck_http_request_seconds_sum{${labels}} ${sumSeconds}`);
        lines.push(`helmdeck_http_request_seconds_count{${labels}} ${count}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
