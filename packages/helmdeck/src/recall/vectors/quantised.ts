/** A vector quantised to int8: a quarter of the memory, and a cosine that differs in the third digit. Its length has no meaning. */
export type QuantisedVector = Int8Array<ArrayBuffer>;

const MAX_INT8 = 127;

/** Scales a vector so that its largest component is ±127, and rounds it. */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest === 0 ? 0 : MAX_INT8 / largest;
  const bytes = new Int8Array(vector.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.round(vector[i]! * scale);
  return bytes;
}

/** 1 / length, 0 for a zero vector. A dot product times the inverse lengths of both vectors is their cosine. */
export function inverseLength(vector: QuantisedVector): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/** The cosine of two vectors, 0 if their dimensions differ; a `VectorTable` computes many at once. */
export function cosine(a: QuantisedVector, b: QuantisedVector): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  for (let i = 0; i < a.length; i++) dot += a[i]! * b[i]!;
  return dot * inverseLength(a) * inverseLength(b);
}

/** Base64, to be sealed in a row beside the fact. */
export function packVector(vector: QuantisedVector): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** The reverse of `packVector`; undefined for invalid base64 and for a zero vector. */
export function unpackVector(packed: string): QuantisedVector | undefined {
  const bytes = Buffer.from(packed, 'base64');
  // Node ignores invalid base64 characters: only if encoding it again gives the same text, it was valid.
  if (bytes.length === 0 || bytes.toString('base64') !== packed) return undefined;
  const vector = new Int8Array(bytes.length);
  vector.set(bytes);
  return inverseLength(vector) === 0 ? undefined : vector;
}

/** One bit per component, set if it is positive: similar vectors have a small Hamming distance. */
export function writeSigns(vector: QuantisedVector, into: Uint8Array): void {
  into.fill(0);
  // The sign bit of the negated number, shifted into place: an unpredictable branch would cost ten times as much.
  for (let i = 0; i < vector.length; i++) into[i >> 3]! |= (-vector[i]! >>> 31) << (i & 7);
}
