import { Counter, Gauge, type Registry } from 'prom-client';

// Metrics whose value is kept elsewhere and read on every scrape; undefined leaves out the sample.

export interface ScrapedMetrics {
  gauge(name: string, help: string, read: () => number | undefined | Promise<number>): void;
  counter(name: string, help: string, read: () => number | undefined): void;
  /** One sample for each value of a label. */
  gaugeBy(
    name: string,
    help: string,
    label: string,
    read: () => Promise<Iterable<readonly [value: string, count: number]>>,
  ): void;
}

export function scrapedMetrics(registers: Registry[]): ScrapedMetrics {
  return {
    gauge(name, help, read) {
      const collect = async function (this: Gauge) {
        const value = await read();
        if (value !== undefined) this.set(value);
      };
      new Gauge({ name, help, registers, collect });
    },
    counter(name, help, read) {
      const collect = function (this: Counter) {
        this.reset();
        this.inc(read() ?? 0);
      };
      new Counter({ name, help, registers, collect });
    },
    gaugeBy(name, help, label, read) {
      const collect = async function (this: Gauge) {
        const samples = [...(await read())];
        this.reset();
        for (const [value, count] of samples) this.set({ [label]: value }, count);
      };
      new Gauge({ name, help, labelNames: [label], registers, collect });
    },
  };
}
