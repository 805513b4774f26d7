/** A `name = value` and its position in the text; the path starts at the root. */
export interface TomlPair {
  path: string[];
  start: number;
  valueStart: number;
  end: number;
  /** It is inside an inline table. */
  inline: boolean;
}

/** A `[table]` header and its position in the text. */
export interface TomlTable {
  path: string[];
  start: number;
  /** Exclusive; after its last pair, or after the header. */
  end: number;
}

export interface TomlDocument {
  pairs: TomlPair[];
  tables: TomlTable[];
}

const BLANK = /[ \t]*/y;
const BLANK_LINES = /(?:[ \t\r\n\uFEFF]|#[^\n]*)*/y;
const REST_OF_LINE = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const TEXT = /"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const NAME = /[A-Za-z0-9_-]+/y;
const BARE_VALUE = /[A-Za-z0-9_+.:-]+(?: \d[0-9:.Z+-]*)?/y;

/** Parses pairs and tables with their positions; throws `SyntaxError`. */
export function parseTomlText(text: string): TomlDocument {
  const pairs: TomlPair[] = [];
  const tables: TomlTable[] = [];
  let at = 0;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }
  const wrong = () => new SyntaxError(`line ${text.slice(0, at).split('\n').length} is not TOML`);
  const takeIf = (symbol: string) => {
    if (!text.startsWith(symbol, at)) return false;
    at += symbol.length;
    return true;
  };
  const expect = (symbol: string) => {
    if (!takeIf(symbol)) throw wrong();
  };

  function names(): string[] {
    const found: string[] = [];
    do {
      take(BLANK);
      const quoted = take(TEXT);
      const name = quoted === undefined ? take(NAME) : tomlString(quoted);
      if (name === undefined) throw wrong();
      found.push(name);
      take(BLANK);
    } while (takeIf('.'));
    return found;
  }

  function pair(within: readonly string[], inline: boolean): void {
    const start = at;
    const path = [...within, ...names()];
    expect('=');
    take(BLANK);
    const found: TomlPair = { path, start, valueStart: at, end: at, inline };
    pairs.push(found);
    value(path);
    found.end = at;
  }

  function value(path: readonly string[]): void {
    if (takeIf('{')) items('}', () => pair(path, true));
    else if (takeIf('[')) items(']', () => value([...path, '[]']));
    else if (take(TEXT) === undefined && take(BARE_VALUE) === undefined) throw wrong();
  }

  function items(closing: string, item: () => void): void {
    for (;;) {
      take(BLANK_LINES);
      if (takeIf(closing)) return;
      item();
      take(BLANK_LINES);
      if (takeIf(closing)) return;
      expect(',');
    }
  }

  for (;;) {
    take(BLANK_LINES);
    if (at >= text.length) return { pairs, tables };
    const start = at;
    if (takeIf('[')) {
      const isList = takeIf('[');
      const path = names();
      expect(isList ? ']]' : ']');
      // An element of an array of tables cannot be addressed by name.
      tables.push({ path: isList ? [...path, '[]'] : path, start, end: at });
    } else pair(tables.at(-1)?.path ?? [], false);
    const lineEnd = at;
    if (take(REST_OF_LINE) === undefined) throw wrong();
    const table = tables.at(-1);
    if (table) table.end = at > lineEnd ? at : lineEnd;
  }
}

const ESCAPED: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', e: '\u001b' };

/** The value of a quoted TOML string; multi-line strings are not supported. */
function tomlString(quoted: string): string {
  const inside = quoted.slice(1, -1);
  if (quoted.startsWith("'")) return inside;
  return inside.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g,
    (_, four?: string, eight?: string, one = '') =>
      (four ?? eight) ? String.fromCodePoint(Number.parseInt((four ?? eight)!, 16)) : (ESCAPED[one] ?? one),
  );
}
