import { Counter, Gauge, type Registry } from 'prom-client';
import type { Recall } from '../../recall/recall.ts';

type Status = ReturnType<Recall['status']>;

/** What there is to see of the images that searches run on; read when somebody asks for the metrics. */
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
    'Their size as HELMDECK_RECALL_CACHE_BYTES counts it',
    ({ bytes }) => bytes,
  );
  counter('helmdeck_recall_lookups_total', 'Times an image was asked for', ({ lookups }) => lookups);
  counter('helmdeck_recall_image_loads_total', 'Times it had to be loaded first', ({ loads }) => loads);
}
