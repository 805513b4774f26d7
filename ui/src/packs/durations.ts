import { strings } from '../strings.ts';

/** `< 1 ms`, `3 ms`, `4.18 s`, `30.0 s`, `2 min 5 s`. */
export function shortDuration(ms: number): string {
  if (ms < 1) return strings.packs.underOneMs;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
}

/** `12 min`, `3 h`, `2 d`; for ages. */
export function shortSpan(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** For lists, which show the exact time on hover. */
export function agoOf(unixSeconds: number, nowMs: number): string {
  const seconds = nowMs / 1000 - unixSeconds;
  return seconds < 60 ? strings.packs.now : strings.packs.ago(shortSpan(seconds));
}

/** A quantile: the median, or for example the 95th percentile with `0.95`. */
export function quantile(values: readonly number[], share = 0.5): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
