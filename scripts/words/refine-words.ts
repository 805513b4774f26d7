import { principalDirections, unit } from './principal-components.ts';

// Moves the vectors of words so that their weighted mean comes near to what a model makes of a whole text. A word alone is
// embedded without what it mostly stands beside; in sentences it is not.

/** A text as the words of a table that it has, with weights that add up to 1, and its vector by the model. */
export interface Sample {
  rows: readonly number[];
  weights: readonly number[];
  vector: Float32Array;
}

/** How much a word resists: as much as half a text of that word alone. Between 0.3 and 1 the vectors find as much. */
const RESISTANCE = 0.5;
/** The residual falls by a factor of a thousand in fewer. */
const ROUNDS = 25;
/** Keeps the rotation well defined where few samples tell two directions apart. */
const RIDGE = 1e-3;

/** The rows of a table, moved; they keep their number of dimensions, but are no unit vectors any more. */
export function refined(rows: readonly Float32Array[], samples: readonly Sample[]): Float32Array[] {
  const dimensions = rows[0]!.length;
  const targets = inFewDimensions(
    samples.map(({ vector }) => vector),
    dimensions,
  );
  const turned = rotated(rows, samples, targets);
  const moves = solve(turned, samples, targets);
  return turned.map((row, at) => row.map((value, dimension) => value + moves[at]![dimension]!));
}

/** The vectors of the samples without what all have in common, in the directions in which they differ most. */
function inFewDimensions(vectors: readonly Float32Array[], dimensions: number): Float32Array[] {
  const size = vectors[0]!.length;
  const mean = Float64Array.from(
    { length: size },
    (_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0) / vectors.length,
  );
  const centred = vectors.map((vector) => unit(vector.map((value, at) => value - mean[at]!)));
  const directions = principalDirections(centred, size, dimensions);
  return centred.map((vector) => unit(Float32Array.from(directions, (each) => dot(each, vector))));
}

/** The rows in the space of the targets: the linear map that takes the mean of a text's words nearest to its target. */
function rotated(
  rows: readonly Float32Array[],
  samples: readonly Sample[],
  targets: readonly Float32Array[],
): Float32Array[] {
  const size = rows[0]!.length;
  const squares = matrix(size);
  const products = matrix(size);
  for (const [number, sample] of samples.entries()) {
    const mean = meanOf(rows, sample);
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) {
        squares[a]![b]! += mean[a]! * mean[b]!;
        products[a]![b]! += mean[a]! * targets[number]![b]!;
      }
    }
  }
  for (let at = 0; at < size; at++) squares[at]![at]! += (RIDGE * samples.length) / size;
  const map = eliminate(squares, products);
  return rows.map((row) => {
    const turned = new Float32Array(size);
    for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) turned[b]! += row[a]! * map[a]![b]!;
    return turned;
  });
}

/** Conjugate gradients for the moves with the least squared distance to the targets, plus `RESISTANCE` of their own length. */
function solve(
  rows: readonly Float32Array[],
  samples: readonly Sample[],
  targets: readonly Float32Array[],
): Float32Array[] {
  const zero = () => rows.map((row) => new Float32Array(row.length));
  const moves = zero();
  const residual = zero();
  for (const [number, sample] of samples.entries()) {
    const mean = meanOf(rows, sample);
    spread(
      sample,
      targets[number]!.map((value, at) => value - mean[at]!),
      residual,
    );
  }
  let direction = residual.map((row) => row.slice());
  let length = squaredLength(residual);
  for (let round = 0; round < ROUNDS && length > 0; round++) {
    const image = direction.map((row) => row.map((value) => RESISTANCE * value));
    for (const sample of samples) spread(sample, meanOf(direction, sample), image);
    const step = length / direction.reduce((sum, row, at) => sum + dot(row, image[at]!), 0);
    addTo(moves, direction, step);
    addTo(residual, image, -step);
    const next = squaredLength(residual);
    const share = next / length;
    direction = direction.map((row, at) => row.map((value, d) => residual[at]![d]! + share * value));
    length = next;
  }
  return moves;
}

function meanOf(rows: readonly Float32Array[], { rows: own, weights }: Sample): Float32Array {
  const mean = new Float32Array(rows[0]!.length);
  for (const [at, row] of own.entries())
    for (let d = 0; d < mean.length; d++) mean[d]! += weights[at]! * rows[row]![d]!;
  return mean;
}

function spread({ rows: own, weights }: Sample, vector: Float32Array, into: Float32Array[]): void {
  for (const [at, row] of own.entries())
    for (let d = 0; d < vector.length; d++) into[row]![d]! += weights[at]! * vector[d]!;
}

function addTo(into: Float32Array[], rows: readonly Float32Array[], factor: number): void {
  for (const [at, row] of rows.entries())
    for (let d = 0; d < row.length; d++) into[at]![d]! += factor * row[d]!;
}

const squaredLength = (rows: readonly Float32Array[]) => rows.reduce((sum, row) => sum + dot(row, row), 0);

const matrix = (size: number) => Array.from({ length: size }, () => new Float64Array(size));

/** Solves `left` × answer = `right` by Gauss and Jordan, in place. */
function eliminate(left: Float64Array[], right: Float64Array[]): Float64Array[] {
  for (let column = 0; column < left.length; column++) {
    let pivot = column;
    for (let row = column + 1; row < left.length; row++)
      if (Math.abs(left[row]![column]!) > Math.abs(left[pivot]![column]!)) pivot = row;
    for (const rows of [left, right]) [rows[pivot], rows[column]] = [rows[column]!, rows[pivot]!];
    const inverse = 1 / left[column]![column]!;
    for (const rows of [left, right]) rows[column] = rows[column]!.map((value) => value * inverse);
    for (let row = 0; row < left.length; row++) {
      const factor = row === column ? 0 : left[row]![column]!;
      if (factor === 0) continue;
      for (const rows of [left, right])
        rows[row] = rows[row]!.map((value, at) => value - factor * rows[column]![at]!);
    }
  }
  return right;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
