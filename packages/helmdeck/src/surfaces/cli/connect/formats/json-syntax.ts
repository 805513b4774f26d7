/** A JSON value and its position in the text. Comments, trailing commas and the quotes of JSON5 are accepted. */
export interface JsonNode {
  start: number;
  /** Exclusive. */
  end: number;
  /** Of an object or a list, in order. */
  children?: JsonChild[];
  isList?: boolean;
  /** Of anything else. */
  value?: unknown;
}

export interface JsonChild {
  /** Absent in a list. */
  key?: string;
  start: number;
  node: JsonNode;
  /** Exclusive; after its comma, if it has one. */
  end: number;
}

const BLANK = /(?:[\s\uFEFF]|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y;
/** The comments of a text that has no strings. */
export const COMMENT = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\//g;
/** What ends a line comment. */
export const LINE_BREAK = /[\n\r\u2028\u2029]/;
const TEXT = /"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*'/y;
const WORD = /[\p{L}\p{N}_$+.-]+/uy;
const NAMED: Record<string, unknown> = { true: true, false: false, null: null };
const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

/** Parses a whole text; throws `SyntaxError`. */
export function parseJsonText(text: string): JsonNode {
  const reader = createReader(text);
  reader.skip();
  const node = reader.value();
  reader.skip();
  if (reader.at() < text.length) throw new SyntaxError('there is text after the end');
  return node;
}

function createReader(text: string) {
  let at = 0;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }
  const skip = () => void take(BLANK);
  const expect = (character: string) => {
    if (text[at] !== character) throw new SyntaxError(`"${character}" is missing at character ${at}`);
    at++;
  };

  function value(): JsonNode {
    const start = at;
    if (text[at] === '{') return { start, children: children('}'), end: at };
    if (text[at] === '[') return { start, children: children(']'), isList: true, end: at };
    const quoted = take(TEXT);
    if (quoted !== undefined) return { start, value: unquoted(quoted), end: at };
    const word = take(WORD) ?? '';
    if (word in NAMED) return { start, value: NAMED[word], end: at };
    const number = Number(word.replace(/^\+/, ''));
    if (word === '' || (Number.isNaN(number) && word !== 'NaN'))
      throw new SyntaxError(`there is no value at character ${start}`);
    return { start, value: number, end: at };
  }

  function children(closing: string): JsonChild[] {
    const found: JsonChild[] = [];
    at++;
    for (;;) {
      skip();
      if (text[at] === closing) break;
      const start = at;
      const key = closing === '}' ? name() : undefined;
      const node = value();
      let end = at;
      skip();
      if (text[at] === ',') end = ++at;
      else if (text[at] !== closing)
        throw new SyntaxError(`"," or "${closing}" is missing at character ${at}`);
      found.push({ ...(key === undefined ? {} : { key }), start, node, end });
    }
    at++;
    return found;
  }

  function name(): string {
    const quoted = take(TEXT);
    const key = quoted === undefined ? take(WORD) : unquoted(quoted);
    if (key === undefined) throw new SyntaxError(`there is no name at character ${at}`);
    skip();
    expect(':');
    skip();
    return key;
  }

  return { skip, value, at: () => at };
}

function unquoted(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(
      /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))/g,
      (_, unicode?: string, latin?: string, one = '') => {
        if (unicode ?? latin) return String.fromCharCode(Number.parseInt((unicode ?? latin)!, 16));
        return /[\r\n]/.test(one) ? '' : (ESCAPED[one] ?? one);
      },
    );
}

/** The value of a node. */
export function jsonValue(node: JsonNode): unknown {
  if (!node.children) return node.value;
  if (node.isList) return node.children.map(({ node: each }) => jsonValue(each));
  return Object.fromEntries(node.children.map(({ key, node: each }) => [key, jsonValue(each)]));
}
