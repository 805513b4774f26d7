import { B_ROWS, packedIndex } from './matmul.ts';

/** The numbers of a model in a `.safetensors` file: a header in JSON, then the tensors, here of 16-bit floats. */
export interface Tensors {
  /** A tensor by name, which must have exactly these dimensions. */
  get(name: string, ...shape: number[]): Float16Array;
}

interface TensorHeader {
  dtype: string;
  shape: number[];
  data_offsets: [start: number, end: number];
}

export function readTensors(file: Buffer): Tensors {
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes)) as Record<string, TensorHeader>;
  // Copied: the tensors must begin at an even address.
  const data = new Uint8Array(file.subarray(8 + headerBytes)).buffer;
  return {
    get(name, ...shape) {
      const tensor = header[name];
      if (tensor?.dtype !== 'F16' || tensor.shape.join() !== shape.join())
        throw new TypeError('a tensor of the model is missing or has another shape');
      const [start, end] = tensor.data_offsets;
      return new Float16Array(data, start, (end - start) / Float16Array.BYTES_PER_ELEMENT);
    },
  };
}

const MAX_BYTE = 127;

/** Quantises each row of a matrix to int8 with a scale of its own, packed as the second operand of a product. */
export function quantiseMatrix(matrix: Float16Array, columns: number, into: Int8Array): Float32Array {
  const values = Float32Array.from(matrix);
  const scales = new Float32Array(values.length / columns);
  for (let row = 0; row < scales.length; row++) {
    const start = row * columns;
    let largest = 0;
    for (let at = start; at < start + columns; at++) largest = Math.max(largest, Math.abs(values[at]!));
    const scale = largest / MAX_BYTE;
    scales[row] = scale;
    for (let column = 0; column < columns && scale > 0; column++)
      into[packedIndex(row, column, columns, B_ROWS)] = Math.round(values[start + column]! / scale);
  }
  return scales;
}
