// Fields of foreign JSON, which may have any type.

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textsOf = (value: unknown): string[] => listOf(value).map(textOf).filter(Boolean);

/** A time as text or as seconds; undefined if it is neither. */
export function timeOf(value: unknown): number | undefined {
  const ms =
    typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
