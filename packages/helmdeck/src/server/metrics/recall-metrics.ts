import { Counter, Gauge, type Registry } from 'prom-client';
import type { Recall } from '../../recall/recall.ts';

type Status = ReturnType<Recall['status']>;

/** Prometheus metrics of the search images, read on every scrape. */
export function createRecallMetrics(registers: Registry[], status: () => Status | undefined): void {
  const gauge = (name: string, help: string, read: (now: Status) => number) => {
    const collect = function (this: Gauge) {
      const now = status();
      if (now) this.set(read(now));
    };
    return new Gauge({ name, help, registers, collect });
  };
  const counter = (name: string, help: string, read: (now: Status) => number) => {
    const collect = function (this: Counter) {
      const now = status();
      if (!now) return;
      this.reset();
      this.inc(read(now));
    };
    return new Counter({ name, help, registers, collect });
  };
  gauge('helmdeck_recall_images', 'Search images in RAM', ({ images }) => images);
  gauge(
    'helmdeck_recall_image_bytes',
    'Size of the search images, as counted against HELMDECK_RECALL_CACHE_BYTES',
    ({ bytes }) => bytes,
  );
  counter('helmdeck_recall_lookups_total', 'Lookups of search images', ({ lookups }) => lookups);
  counter(
    'helmdeck_recall_image_loads_total',
    'Lookups that had to load the image first',
    ({ loads }) => loads,
  );
}
