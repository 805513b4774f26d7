import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parses `90d`, `12h`, `30m` or plain seconds. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,10})([smhdw]?)$/.exec(text.trim());
  if (!match) throw new InvalidArgumentError('It must be a duration such as 90d, 12h or 3600 (seconds).');
  return Number(match[1]) * UNIT_SECONDS[match[2] || 's']!;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** A time relative to now: `in 3 days`, `2 hours ago`. */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1000);
  const [count, unit] = inLargestUnit(Math.abs(seconds));
  if (count === 0) return 'now';
  const amount = counted(count, unit);
  return seconds < 0 ? `${amount} ago` : `in ${amount}`;
}

function inLargestUnit(seconds: number): [number, string] {
  if (seconds < 60) return [seconds, 'second'];
  if (seconds < 5400) return [Math.round(seconds / 60), 'minute'];
  if (seconds < 129_600) return [Math.round(seconds / 3600), 'hour'];
  return [Math.round(seconds / 86_400), 'day'];
}

/** A number with its noun: `1 row`, `2 rows`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Bytes in the largest unit: `1.5 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = -1;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
