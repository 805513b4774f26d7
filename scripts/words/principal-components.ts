// Reduces vectors to the directions in which they differ most, after removing what all have in common.

const ROUNDS = 40;

/** The unit vectors of each row in `wanted` dimensions. `weights` say how much a row counts for the common component. */
export function reduced(
  rows: readonly Float32Array[],
  weights: readonly number[],
  wanted: number,
): Float32Array[] {
  const size = rows[0]!.length;
  const mean = weightedMean(rows, weights, size);
  const centred = rows.map((row) => unit(row.map((value, at) => value - mean[at]!)));
  const directions = principalDirections(centred, size, wanted);
  return centred.map((row) => unit(Float32Array.from(directions, (direction) => dot(direction, row))));
}

function weightedMean(rows: readonly Float32Array[], weights: readonly number[], size: number): Float64Array {
  const mean = new Float64Array(size);
  let all = 0;
  for (const [number, row] of rows.entries()) {
    const weight = weights[number]!;
    all += weight;
    for (let at = 0; at < size; at++) mean[at]! += weight * row[at]!;
  }
  return mean.map((value) => value / all);
}

function covarianceOf(rows: readonly Float32Array[], size: number): Float64Array {
  const covariance = new Float64Array(size * size);
  for (const row of rows) {
    for (let a = 0; a < size; a++) {
      for (let b = 0; b <= a; b++) covariance[a * size + b]! += row[a]! * row[b]!;
    }
  }
  for (let a = 0; a < size; a++)
    for (let b = 0; b < a; b++) covariance[b * size + a] = covariance[a * size + b]!;
  return covariance;
}

/** Orthogonal iteration from fixed starting vectors: the same input gives the same bytes. */
export function principalDirections(
  rows: readonly Float32Array[],
  size: number,
  wanted: number,
): Float64Array[] {
  const covariance = covarianceOf(rows, size);
  let directions = Array.from({ length: wanted }, (_, number) =>
    Float64Array.from({ length: size }, (_, at) => Math.sin((number + 1) * (at + 1))),
  );
  for (let round = 0; round < ROUNDS; round++) {
    directions = directions.map((direction) =>
      Float64Array.from({ length: size }, (_, row) => {
        let sum = 0;
        for (let at = 0; at < size; at++) sum += covariance[row * size + at]! * direction[at]!;
        return sum;
      }),
    );
    for (const [number, direction] of directions.entries()) {
      for (const earlier of directions.slice(0, number)) {
        const shared = dot(earlier, direction);
        for (let at = 0; at < size; at++) direction[at]! -= shared * earlier[at]!;
      }
      const length = Math.sqrt(dot(direction, direction));
      for (let at = 0; at < size; at++) direction[at]! /= length;
    }
  }
  return directions;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  return vector.map((value) => value / length);
}
