import { parentPort, workerData } from 'node:worker_threads';

// The worker thread of the built-in embedder. Inference is one long synchronous call into WebAssembly, which would block
// every request on the main thread.

/** One text per message, so that a query never waits for a whole batch. */
export interface BuiltinRequest {
  number: number;
  text: string;
}

export type BuiltinResponse =
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

/** Inference time grows faster than the length: 256 tokens take half a second, and texts arrive in shorter windows anyway. */
const MAX_TOKENS = 128;

const port = parentPort!;
const respond = (message: BuiltinResponse) => port.postMessage(message);

async function load() {
  // Imported by name: the packages are optional peers, because the weights take 50 MB.
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
      respond({ number, vector: Float32Array.from(vector!) });
    } catch {
      respond({ number, failed: true });
    }
  });
} catch (thrown) {
  const missing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  respond({ unusable: missing ? 'missing' : 'broken' });
  port.close();
}
