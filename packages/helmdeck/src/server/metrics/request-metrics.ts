/** Counts requests by route, method and status, and how long they took. */
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
  /** How many fell into each bucket, not cumulated. */
  buckets: number[];
}

// By hand, because the general library hashes labels anew for every observation, and this is on every request's way.
export function createRequestMetrics(): RequestMetrics {
  const series = new Map<string, Series>();
  return {
    observe(route, method, status, seconds) {
      const name = `${status} ${method} ${route}`;
      let one = series.get(name);
      if (!one) {
        const labels = `route="${route}",method="${method}",status="${status}"`;
        one = { labels, count: 0, sumSeconds: 0, buckets: BUCKETS_SECONDS.map(() => 0) };
        series.set(name, one);
      }
      one.count++;
      one.sumSeconds += seconds;
      const bucket = BUCKETS_SECONDS.findIndex((limit) => seconds <= limit);
      if (bucket >= 0) one.buckets[bucket]!++;
    },
    render() {
      const lines = [
        '# HELP helmdeck_http_request_seconds Time to answer',
        '# TYPE helmdeck_http_request_seconds histogram',
      ];
      for (const { labels, count, sumSeconds, buckets } of series.values()) {
        let below = 0;
        for (const [index, limit] of BUCKETS_SECONDS.entries()) {
          below += buckets[index]!;
          lines.push(`helmdeck_http_request_seconds_bucket{${labels},le="${limit}"} ${below}`);
        }
        lines.push(`helmdeck_http_request_seconds_bucket{${labels},le="+Inf"} ${count}`);
        lines.push(`helmdeck_http_request_seconds_sum{${labels}} ${sumSeconds}`);
        lines.push(`helmdeck_http_request_seconds_count{${labels}} ${count}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
