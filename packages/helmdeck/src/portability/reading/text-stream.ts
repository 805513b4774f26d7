import { AppError } from '../../errors.ts';

const SAMPLE_BYTES = 65_536;
const MAX_LINE_CHARS = 8_388_608;
/** A Markdown file larger than this is no note that a person wrote. */
const MAX_DOCUMENT_CHARS = 4_194_304;

/** The first bytes of a stream, and the whole stream again. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isDone = false;
  while (size < SAMPLE_BYTES && !isDone) {
    const { value, done } = await iterator.next();
    isDone = done === true;
    if (value && !isDone) {
      chunks.push(value);
      size += value.length;
    }
  }
  async function* whole() {
    yield* chunks;
    for (;;) {
      if (isDone) return;
      const { value, done } = await iterator.next();
      if (done) return;
      yield value;
    }
  }
  return { head: Buffer.concat(chunks).subarray(0, SAMPLE_BYTES), bytes: whole() };
}

/** Decodes strict UTF-8, without a byte order mark. */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) {
      const text = decoder.decode(chunk, { stream: true });
      if (text !== '') yield text;
    }
    const rest = decoder.decode();
    if (rest !== '') yield rest;
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new AppError('invalid_input', 'The file is not UTF-8 text; what came before was read.', {
      reason: 'bad_encoding',
      hint: 'Save it as UTF-8 and import it again.',
    });
  }
}

/** The beginning of a file as text; bytes that the cut split are left out. */
export function decodeHead(head: Uint8Array): string {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    throw new AppError('invalid_input', 'The file is UTF-16; only UTF-8 can be imported.', {
      reason: 'bad_encoding',
      hint: 'Save it as UTF-8 and import it again.',
    });
  return new TextDecoder('utf-8').decode(head, { stream: true });
}

/** The lines of a text, wherever its pieces are split. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    if (rest.length > MAX_LINE_CHARS)
      throw new AppError('payload_too_large', `A line is longer than ${MAX_LINE_CHARS} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** A whole document that a person wrote. */
export async function documentText(text: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const chunk of text) {
    whole += chunk;
    if (whole.length > MAX_DOCUMENT_CHARS)
      throw new AppError(
        'payload_too_large',
        `A Markdown file is longer than ${MAX_DOCUMENT_CHARS} characters.`,
      );
  }
  return whole.replaceAll('\r\n', '\n');
}
