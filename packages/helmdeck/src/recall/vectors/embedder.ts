/** Whether a text is searched for or searched: some models embed the two differently. */
export type EmbeddingPurpose = 'query' | 'document';

/** Turns texts into vectors whose cosine measures how close they are in meaning. */
export interface Embedder {
  /** Provider and model, as in `builtin:all-MiniLM-L6-v2`; facts with vectors of another id are embedded again. */
  readonly id: string;
  /** One unit vector per text, in order; throws only `EmbeddingError`. */
  embed(texts: readonly string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** `refused` lasts until someone changes the configuration; `rubbish` is a response without vectors; the others are transient. */
export type EmbeddingErrorKind = 'unreachable' | 'refused' | 'rubbish' | 'timeout' | 'rate_limited';

export interface EmbeddingErrorDetails {
  /** From the endpoint's Retry-After header. */
  retryAfterMs?: number;
  /** What a person can do about it. */
  fix?: string;
}

/** Why embedding failed. The message contains no text, no key and no response body, which may repeat both. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
  readonly kind: EmbeddingErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly fix: string | undefined;

  constructor(kind: EmbeddingErrorKind, message: string, details: EmbeddingErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs;
    this.fix = details.fix;
  }
}

/** Converts anything thrown to an `EmbeddingError`, without its message. */
export function toEmbeddingError(thrown: unknown): EmbeddingError {
  return thrown instanceof EmbeddingError
    ? thrown
    : new EmbeddingError('unreachable', 'The embedder failed for an unknown reason.');
}

const MAX_DIMENSIONS = 8_192;

/** Normalises a vector to length one; undefined if it is all zeros or not made of finite numbers. */
export function unitVector(numbers: ArrayLike<unknown>): Float32Array | undefined {
  const dimensions = numbers.length;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS) return undefined;
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const number = numbers[i];
    if (typeof number !== 'number') return undefined;
    squares += number * number;
  }
  // Also catches NaN and infinities, which carry over to the sum.
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return Float32Array.from({ length: dimensions }, (_, i) => (numbers[i] as number) / length);
}

/** Cuts a text to `maxUnits` UTF-16 units without splitting a surrogate pair, and replaces lone surrogates. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text.toWellFormed();
  const endsInside = isHighSurrogate(text.charCodeAt(maxUnits - 1));
  return text.slice(0, endsInside ? maxUnits - 1 : maxUnits).toWellFormed();
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
