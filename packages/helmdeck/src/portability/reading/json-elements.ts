import { AppError } from '../../errors.ts';

/** An element of the array that a file is, or a member of its object; members that are arrays come element by element. */
export interface JsonElement {
  member?: string;
  value: unknown;
}

/** A single conversation or memory has far less. */
const MAX_ELEMENT_CHARS = 67_108_864;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Reads a large JSON file one element at a time. Only the element is held in memory, so that an export of hundreds of
 * megabytes can be read.
 */
export async function* jsonElements(text: AsyncIterable<string>): AsyncGenerator<JsonElement> {
  const scanner = new ElementScanner();
  for await (const chunk of text) yield* scanner.scan(chunk);
  yield* scanner.end();
}

class ElementScanner {
  #root: 'none' | 'array' | 'object' | 'string' = 'none';
  #depth = 0;
  /** The depth of the elements: 1, or 2 inside an array that is a member of the root object. */
  #elementDepth = 1;
  #inString = false;
  #isEscaped = false;
  #member: string | undefined;
  #expectsKey = false;
  /** The depth at which the captured element began; undefined between elements. */
  #capturedAt: number | undefined;
  #parts: string[] = [];
  #chars = 0;

  *scan(chunk: string): Generator<JsonElement> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#inString = false;
        continue;
      }
      if (isSpace(code)) continue;
      if (this.#capturedAt === undefined) {
        if (code === COMMA) {
          this.#expectsKey = this.#root === 'object' && this.#depth === 1;
          continue;
        }
        if (code === COLON) continue;
        if (CLOSE.includes(code)) {
          this.#close();
          continue;
        }
        if (this.#enters(code)) continue;
        this.#capturedAt = this.#depth;
        start = at;
      } else if (
        this.#depth === this.#capturedAt &&
        (code === COMMA || code === COLON || CLOSE.includes(code))
      ) {
        yield* this.#finish(chunk.slice(start, at), code);
        continue;
      }
      if (code === QUOTE) this.#inString = true;
      else if (OPEN.includes(code)) this.#depth++;
      else if (CLOSE.includes(code)) this.#depth--;
    }
    if (this.#capturedAt === undefined) return;
    this.#parts.push(chunk.slice(start));
    this.#chars += chunk.length - start;
    if (this.#chars > MAX_ELEMENT_CHARS)
      throw new AppError('payload_too_large', 'One element of the file is larger than 64 MB.');
  }

  *end(): Generator<JsonElement> {
    if (this.#root === 'none' && this.#capturedAt === undefined) throw notJson();
    if (this.#root === 'string' && !this.#inString) {
      // A JSON text of JSON, as some programs export.
      const inner = new ElementScanner();
      const text = parse(this.#parts.join(''));
      if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) throw notJson();
      yield* inner.scan(text);
      yield* inner.end();
      return;
    }
    if (this.#depth > 0 || this.#inString)
      throw new AppError('invalid_input', 'The file ends in the middle; what came before was read.', {
        reason: 'cut_file',
      });
  }

  /** Whether the character opens a container whose elements are read one by one. */
  #enters(code: number): boolean {
    if (this.#root === 'none') {
      if (code === QUOTE) this.#root = 'string';
      else if (code === OPEN_ARRAY) this.#root = 'array';
      else if (code === OPEN_OBJECT) {
        this.#root = 'object';
        this.#expectsKey = true;
      } else throw notJson();
      if (this.#root === 'string') return false;
      this.#depth = 1;
      return true;
    }
    if (this.#depth === 0) throw notJson();
    if (this.#root === 'object' && this.#depth === 1 && !this.#expectsKey && code === OPEN_ARRAY) {
      this.#depth = 2;
      this.#elementDepth = 2;
      return true;
    }
    return false;
  }

  #close(): void {
    this.#depth--;
    if (this.#elementDepth === 2 && this.#depth === 1) {
      this.#elementDepth = 1;
      this.#member = undefined;
    }
    if (this.#depth < 0) throw notJson();
  }

  *#finish(last: string, code: number): Generator<JsonElement> {
    const value = parse(this.#parts.join('') + last);
    this.#parts = [];
    this.#chars = 0;
    this.#capturedAt = undefined;
    if (code === COLON) {
      if (typeof value !== 'string') throw notJson();
      this.#member = value;
      this.#expectsKey = false;
      return;
    }
    yield this.#member === undefined ? { value } : { member: this.#member, value };
    if (this.#elementDepth === 1) this.#member = undefined;
    if (code === COMMA) this.#expectsKey = this.#root === 'object' && this.#depth === 1;
    else this.#close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

const notJson = () => new AppError('invalid_input', 'The file is not valid JSON.', { reason: 'bad_type' });
