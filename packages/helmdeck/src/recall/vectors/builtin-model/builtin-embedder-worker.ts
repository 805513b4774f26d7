import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createEncoder, MAX_TOKENS } from './encoder.ts';
import { readTensors } from './weights.ts';
import { createTokeniser, type TokeniserFile } from './word-pieces.ts';

// A worker thread of the built-in embedder: inference would block every request on the main thread.

export interface BuiltinWorkerData {
  /** The package of the model. */
  model: string;
  /** Yields the processor to every other thread of the machine, if the system can do that. */
  isBackground: boolean;
}

/** The response to a text. */
export type BuiltinResponse =
  | { vector: Float32Array }
  | { failed: true }
  /** The package is not installed, is not what it should be, or the processor has no SIMD. */
  | { unusable: 'missing' | 'broken' | 'no_simd' };

/** What the package of the model exports by default. */
interface Manifest {
  weightsPath: string;
  tokenizerPath: string;
}

/** The least priority: next to a busy thread of normal priority this one gets a fiftieth of a core. */
const BACKGROUND_NICENESS = 19;

const port = parentPort!;
const { model, isBackground } = workerData as BuiltinWorkerData;
const respond = (message: BuiltinResponse) => port.postMessage(message);

/** On Linux a priority is a thread's own; elsewhere it would be that of the whole process. */
function lowerPriority(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), BACKGROUND_NICENESS);
  } catch {
    // Without /proc or the permission, documents are embedded at normal priority.
  }
}

async function load(): Promise<((text: string) => Float32Array) | undefined> {
  // Imported by name: the package is an optional peer, because the weights take 45 MB.
  const { default: manifest } = (await import(model)) as { default: Manifest };
  const tokenise = createTokeniser(
    JSON.parse(await readFile(manifest.tokenizerPath, 'utf8')) as TokeniserFile,
  );
  const encoder = createEncoder(readTensors(await readFile(manifest.weightsPath)));
  return encoder && ((text) => encoder.encode(tokenise(text, MAX_TOKENS)));
}

try {
  if (isBackground) lowerPriority();
  const vectorOf = await load();
  if (!vectorOf) respond({ unusable: 'no_simd' });
  else
    port.on('message', (text: string) => {
      try {
        respond({ vector: vectorOf(text) });
      } catch {
        respond({ failed: true });
      }
    });
} catch (thrown) {
  const missing = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  respond({ unusable: missing ? 'missing' : 'broken' });
}
