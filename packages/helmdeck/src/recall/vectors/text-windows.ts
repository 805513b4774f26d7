import { EmbeddingError, unitVector } from './embedder.ts';

/** Splits a text into at most `maxWindows` windows of at most `maxUnits` UTF-16 units, at word boundaries if possible. */
export function textWindows(text: string, maxUnits: number, maxWindows: number): string[] {
  const rest = text.trim();
  const windows: string[] = [];
  let start = 0;
  while (start < rest.length && windows.length < maxWindows) {
    const end = endOfWindow(rest, start, maxUnits);
    const window = rest.slice(start, end).trim();
    if (window !== '') windows.push(window.toWellFormed());
    start = end;
  }
  // An empty text has one window, so that callers need no special case.
  return windows.length === 0 ? [''] : windows;
}

function endOfWindow(text: string, start: number, maxUnits: number): number {
  const end = start + maxUnits;
  if (end >= text.length) return text.length;
  // Without white space in the second half of the window, cut anywhere.
  for (let at = end; at > start + maxUnits / 2; at--) if (isSpace(text.charCodeAt(at))) return at;
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

const isSpace = (unit: number) => unit === 32 || (unit >= 9 && unit <= 13);
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** The vector of a text from those of its windows: the direction of their mean. */
export function meanDirection(vectors: readonly Float32Array[]): Float32Array {
  if (vectors.length === 1) return vectors[0]!;
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  const unit = unitVector(sum);
  if (!unit) throw new EmbeddingError('rubbish', 'The model returned something other than a vector.');
  return unit;
}
