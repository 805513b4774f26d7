/** Texts that are asked and texts that are found: some models want to be told which. */
export type EmbeddingPurpose = 'query' | 'document';

/** Turns texts into vectors whose nearness is nearness in meaning. */
export interface Embedder {
  /** Names provider and model, as in `builtin:all-MiniLM-L6-v2`; vectors of another id are made anew. */
  readonly id: string;
  /** Unit vectors, one for each text and in that order; throws an `EmbeddingError` and nothing else. */
  embed(texts: readonly string[], purpose: EmbeddingPurpose, signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * `refused`: it will not do this, now or later, until somebody changes something; `rubbish`: it answered, but not with
 * vectors; the others may pass by themselves.
 */
export type EmbeddingErrorKind = 'unreachable' | 'refused' | 'rubbish' | 'timeout' | 'rate_limited';

export interface EmbeddingErrorDetails {
  /** How long the endpoint wants to be left alone. */
  retryAfterMs?: number;
  /** What a person can do about it. */
  fix?: string;
}

/** Why there are no vectors. The message holds neither a text nor a key nor what an endpoint said: that may repeat both. */
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

/** Any thrown thing as an `EmbeddingError`, without its text. */
export function toEmbeddingError(thrown: unknown): EmbeddingError {
  return thrown instanceof EmbeddingError
    ? thrown
    : new EmbeddingError('unreachable', 'The embedder failed for an unknown reason.');
}

const MAX_DIMENSIONS = 8_192;

/** The vector with length one; undefined when it has no direction or is not a vector of finite numbers. */
export function unitVector(numbers: ArrayLike<unknown>): Float32Array | undefined {
  const dimensions = numbers.length;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS) return undefined;
  let squares = 0;
  for (let i = 0; i < dimensions; i++) {
    const number = numbers[i];
    if (typeof number !== 'number') return undefined;
    squares += number * number;
  }
  // Catches NaN and infinities too: one of them makes the sum one of them.
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return Float32Array.from({ length: dimensions }, (_, i) => (numbers[i] as number) / length);
}

/** At most so many UTF-16 units, without half a character at the end or anywhere else. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text.toWellFormed();
  const endsInside = isFirstHalf(text.charCodeAt(maxUnits - 1));
  return text.slice(0, endsInside ? maxUnits - 1 : maxUnits).toWellFormed();
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
