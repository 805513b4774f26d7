import { Counter, Gauge, type Registry } from 'prom-client';

/** Prometheus metrics of scheduled backups. */
export interface BackupMetrics {
  scheduled(everyMs: number): void;
  succeeded(atMs: number, bytes?: number): void;
  failed(): void;
}

export function createBackupMetrics(registers: Registry[]): BackupMetrics {
  const every = new Gauge({
    name: 'helmdeck_backup_interval_seconds',
    help: 'Time between scheduled backups; 0 when there are none',
    registers,
  });
  const last = new Gauge({
    name: 'helmdeck_backup_last_success_timestamp_seconds',
    help: 'When the newest backup was made; 0 when there is none',
    registers,
  });
  const bytes = new Gauge({ name: 'helmdeck_backup_bytes', help: 'Size of the newest backup', registers });
  const failures = new Counter({
    name: 'helmdeck_backup_failures_total',
    help: 'Scheduled backups that failed',
    registers,
  });
  return {
    scheduled: (everyMs) => every.set(everyMs / 1000),
    succeeded(atMs, size) {
      last.set(atMs / 1000);
      if (size !== undefined) bytes.set(size);
    },
    failed: () => failures.inc(),
  };
}
