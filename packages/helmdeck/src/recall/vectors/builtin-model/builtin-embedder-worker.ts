import { readFile } from 'node:fs/promises';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createEncoder, type Lane, MAX_TOKENS } from './encoder.ts';
import { readTensors } from './weights.ts';
import { createTokeniser, type TokeniserFile } from './word-pieces.ts';

// The worker thread of the built-in embedder: inference would block every request on the main thread. Documents are worked
// off one after another; a query runs between two layers of the document in progress, so it waits for a few milliseconds.

export interface BuiltinRequest {
  number: number;
  lane: Lane;
  text: string;
}

export type BuiltinResponse =
  | { number: number; vector: Float32Array }
  | { number: number; failed: true }
  /** The package is not installed, is not what it should be, or the processor has no SIMD. */
  | { unusable: 'missing' | 'broken' | 'no_simd' };

/** What the package of the model exports by default. */
interface Manifest {
  weightsPath: string;
  tokenizerPath: string;
}

type Steps = Generator<undefined, Float32Array, undefined>;

const port = parentPort!;
const respond = (message: BuiltinResponse) => port.postMessage(message);

async function load(): Promise<((text: string, lane: Lane) => Steps) | undefined> {
  // Imported by name: the package is an optional peer, because the weights take 45 MB.
  const { default: manifest } = (await import(workerData as string)) as { default: Manifest };
  const tokenise = createTokeniser(
    JSON.parse(await readFile(manifest.tokenizerPath, 'utf8')) as TokeniserFile,
  );
  const encoder = createEncoder(readTensors(await readFile(manifest.weightsPath)));
  return encoder && ((text, lane) => encoder.encode(tokenise(text, MAX_TOKENS), lane));
}

function serve(encode: (text: string, lane: Lane) => Steps): void {
  const documents: BuiltinRequest[] = [];

  function accept(request: BuiltinRequest): void {
    if (request.lane === 'document') documents.push(request);
    else run(request, () => {});
  }

  function run({ number, lane, text }: BuiltinRequest, betweenLayers: () => void): void {
    try {
      const steps = encode(text, lane);
      let step = steps.next();
      for (; !step.done; step = steps.next()) betweenLayers();
      respond({ number, vector: step.value });
    } catch {
      respond({ number, failed: true });
    }
  }

  function acceptArrived(): void {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) accept(next.message);
  }

  port.on('message', (request: BuiltinRequest) => {
    accept(request);
    for (let next = documents.shift(); next; next = documents.shift()) run(next, acceptArrived);
  });
}

try {
  const encode = await load();
  if (encode) serve(encode);
  else {
    respond({ unusable: 'no_simd' });
    port.close();
  }
} catch (thrown) {
  const missing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  respond({ unusable: missing ? 'missing' : 'broken' });
  port.close();
}
