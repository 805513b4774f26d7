import { HelmdeckError } from './helmdeck-error.ts';

/** The data of each server-sent event of a response, until the server ends the stream or the loop is left. */
export async function* readEvents<T>(response: Response): AsyncGenerator<T> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  try {
    for (;;) {
      const { done, value } = await readChunk(reader);
      if (done) return;
      const blocks = (buffered + value).split('\n\n');
      buffered = blocks.pop()!;
      for (const block of blocks) {
        const data = block.split('\n').find((line) => line.startsWith('data: '));
        // A block without data is a heartbeat.
        if (data !== undefined) yield JSON.parse(data.slice('data: '.length));
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<string>) {
  try {
    return await reader.read();
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new HelmdeckError(0, { message: 'The connection to the server was lost.' }, { cause: thrown });
  }
}
