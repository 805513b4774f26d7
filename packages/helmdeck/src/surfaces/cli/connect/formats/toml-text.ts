import { isDeepStrictEqual } from 'node:util';
import { parse, type TomlTable } from 'smol-toml';
import { parseTomlText } from './toml-syntax.ts';

// Edits TOML in place. smol-toml reads every text before and after an edit, because it does not keep positions and
// comments, and a file that Codex cannot read would keep it from starting.

export type TomlPath = readonly string[];

const isAt = (path: TomlPath, of: TomlPath) =>
  path.length === of.length && of.every((name, at) => path[at] === name);
const isUnder = (path: TomlPath, top: TomlPath) => isAt(path.slice(0, top.length), top);

/** A JSON string is a valid TOML string. */
const written = (value: string) => JSON.stringify(value);
const name = (text: string) => (/^[A-Za-z0-9_-]+$/.test(text) ? text : JSON.stringify(text));

/** The string at a path, or undefined. */
export function readString(text: string, path: TomlPath): string | undefined {
  const value = valueAt(readToml(text), path);
  return typeof value === 'string' ? value : undefined;
}

/** Sets the string at a path; the rest of the text, comments included, stays as it is. */
export function setString(text: string, path: TomlPath, value: string): string {
  return checked(text, withString(text, path, value), path, value);
}

/** Removes everything at and below a path. */
export function removePath(text: string, path: TomlPath): string {
  return checked(text, withoutPath(text, path), path, undefined);
}

function readToml(text: string): TomlTable {
  try {
    return parse(text);
  } catch (thrown) {
    throw new SyntaxError((thrown as Error).message.split('\n')[0]!.replace(/^Invalid TOML document: /, ''), {
      cause: thrown,
    });
  }
}

function valueAt(table: unknown, path: TomlPath): unknown {
  return path.reduce<unknown>((inner, step) => (isTable(inner) ? inner[step] : undefined), table);
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns the edited text if it has the meaning of the old one, except for the value at the path. */
function checked(before: string, after: string, path: TomlPath, value: string | undefined): string {
  if (before === after) return after;
  const [old, edited] = [readToml(before), readToml(after)];
  if (valueAt(edited, path) !== value) throw unsupported(path);
  if (!isDeepStrictEqual(without(old, path), without(edited, path))) throw unsupported(path);
  return after;
}

const unsupported = (path: TomlPath) =>
  new TypeError(`${path.slice(0, -1).join('.')} is written in a form that cannot be edited`);

/** A copy without a path, and without the tables on the way to it that are empty. */
function without(value: unknown, [step, ...rest]: TomlPath): unknown {
  if (!isTable(value)) return value;
  const left: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key !== step) left[key] = without(inner, []);
    else if (rest.length > 0) {
      const kept = without(inner, rest);
      if (!isTable(kept) || Object.keys(kept).length > 0) left[key] = kept;
    }
  }
  return left;
}

function withString(text: string, path: TomlPath, value: string): string {
  const { pairs, tables } = parseTomlText(text);
  const put = (at: number, added: string, until = at) => text.slice(0, at) + added + text.slice(until);
  const known = pairs.findLast((pair) => isAt(pair.path, path));
  if (known) return put(known.valueStart, written(value), known.end);
  const [parent, own] = [path.slice(0, -1), path.at(-1)!];
  // The innermost table that is a value, if there is one: `mcp_servers = { … }` cannot be continued by a [header].
  const braces = pairs
    .filter((pair) => isUnder(parent, pair.path))
    .reduce<(typeof pairs)[number] | undefined>(
      (inner, pair) => (inner && inner.path.length > pair.path.length ? inner : pair),
      undefined,
    );
  if (braces) {
    if (text[braces.valueStart] !== '{') throw new TypeError(`${braces.path.join('.')} is not a table`);
    const inside = /^\{\s*/.exec(text.slice(braces.valueStart))![0].length + braces.valueStart;
    const comma = text[inside] === '}' ? ' ' : ', ';
    const [first, ...below] = path.slice(braces.path.length);
    const nested = below.reduceRight((inner, step) => `{ ${name(step)} = ${inner} }`, written(value));
    return put(braces.valueStart + 1, ` ${name(first!)} = ${nested}${comma}`, inside);
  }
  const line = `${name(own)} = ${written(value)}\n`;
  const table = tables.findLast((each) => isAt(each.path, parent));
  if (table) {
    const lineBreak = text[table.end - 1] === '\n' ? '' : '\n';
    return put(table.end, lineBreak + line);
  }
  const gap = text.trim() === '' ? '' : '\n';
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${ended}${gap}[${parent.map(name).join('.')}]\n${line}`;
}

function withoutPath(text: string, path: TomlPath): string {
  const { pairs, tables } = parseTomlText(text);
  const lines = pairs.filter((pair) => isUnder(pair.path, path) && !pair.inline);
  const gone = [
    ...tables.filter((table) => isUnder(table.path, path)),
    ...lines.filter((pair) => !tables.some((table) => isUnder(table.path, path) && isIn(pair, table))),
    ...pairs.filter((pair) => pair.inline && isAt(pair.path, path)),
  ];
  let left = text;
  for (const { start, end } of gone.sort((a, b) => b.start - a.start)) {
    const [before, after] = [left.slice(0, start), left.slice(end)];
    const inBraces = pairs.some((pair) => pair.inline && pair.start === start);
    left = inBraces ? withoutItem(before, after) : withoutLines(before, after);
  }
  return left === text ? text : left.replace(/\n\n+$/, '\n');
}

/** Removes an item of an inline table together with one comma. */
function withoutItem(before: string, after: string): string {
  const rest = after.replace(/^\s*,\s*/, '');
  return rest === after ? before.replace(/,?\s*$/, ' ') + after.trimStart() : before + rest;
}

function withoutLines(before: string, after: string): string {
  const rest = before === '' || before.endsWith('\n') ? after.replace(/^[ \t]*(?:#[^\n]*)?\n/, '') : after;
  return before.replace(/\n\n+$/, '\n\n') + rest;
}

function isIn(pair: { start: number }, table: { start: number; end: number }): boolean {
  return pair.start >= table.start && pair.start < table.end;
}
