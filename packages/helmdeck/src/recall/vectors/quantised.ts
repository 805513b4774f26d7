/** A vector as bytes: a quarter of the memory, and a cosine that differs in the third digit. Its length carries no meaning. */
export type QuantisedVector = Int8Array<ArrayBuffer>;

const LARGEST = 127;

/** Rounds a vector to bytes, the largest component to ±127. */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  const scale = largest === 0 ? 0 : LARGEST / largest;
  const bytes = new Int8Array(vector.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.round(vector[i]! * scale);
  return bytes;
}

/** What the dot product of two vectors is multiplied with, once for each, to be their cosine; 0 for a vector of zeros. */
export function inverseLength(vector: QuantisedVector): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}

/** For two vectors; a `VectorTable` does it for many. 0 when their dimensions differ. */
export function cosine(a: QuantisedVector, b: QuantisedVector): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  for (let i = 0; i < a.length; i++) dot += a[i]! * b[i]!;
  return dot * inverseLength(a) * inverseLength(b);
}

/** Base64, to be sealed beside the fact; the caller keeps the id of the embedder with it. */
export function packVector(vector: QuantisedVector): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** Undefined when it is not a vector with a direction. */
export function unpackVector(packed: string): QuantisedVector | undefined {
  const bytes = Buffer.from(packed, 'base64');
  // Base64 of Node skips what it does not know: only the same text back means that nothing was skipped.
  if (bytes.length === 0 || bytes.toString('base64') !== packed) return undefined;
  const vector = new Int8Array(bytes.length);
  vector.set(bytes);
  return inverseLength(vector) === 0 ? undefined : vector;
}

/** One bit for each component, set where it is positive: vectors that point the same way differ in few bits. */
export function writeSigns(vector: QuantisedVector, into: Uint8Array): void {
  into.fill(0);
  // The sign bit of the negated number, shifted to its place: a branch on something random would cost ten times as much.
  for (let i = 0; i < vector.length; i++) into[i >> 3]! |= (-vector[i]! >>> 31) << (i & 7);
}
