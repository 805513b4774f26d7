import { parentPort, workerData } from 'node:worker_threads';

// Inference is one long synchronous call into WebAssembly: on the main thread every request would wait for it.

/** What the main thread asks for: one text at a time, so that a query never waits for a whole batch. */
export interface BuiltinRequest {
  number: number;
  text: string;
}

export type BuiltinAnswer =
  | { number: number; vector: Float32Array }
  | { number: number; failed: true }
  /** The packages are not installed, or are not what they should be. */
  | { unusable: 'missing' | 'broken' };

export interface BuiltinPackages {
  engine: string;
  model: string;
}

interface Manifest {
  dimensions: number;
  maxTokens: number;
}

interface EnginePackage {
  createEmbedder(options: { model: Manifest }): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

/** Time grows faster than the length does: 256 tokens take half a second, and texts arrive in shorter windows anyway. */
const MAX_TOKENS = 128;

const port = parentPort!;
const answer = (message: BuiltinAnswer) => port.postMessage(message);

async function load() {
  // By name, because they are optional peers: whoever does not want them does not have 50 MB of weights.
  const { engine, model } = workerData as BuiltinPackages;
  const { createEmbedder } = (await import(engine)) as EnginePackage;
  const { default: manifest } = (await import(model)) as { default: Manifest };
  const embedder = await createEmbedder({ model: { ...manifest, maxTokens: MAX_TOKENS } });
  await embedder.embed(['']); // reads the weights
  return embedder;
}

try {
  const embedder = await load();
  port.on('message', async ({ number, text }: BuiltinRequest) => {
    try {
      const [vector] = await embedder.embed([text]);
      answer({ number, vector: Float32Array.from(vector!) });
    } catch {
      answer({ number, failed: true });
    }
  });
} catch (thrown) {
  const missing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  answer({ unusable: missing ? 'missing' : 'broken' });
  port.close();
}
