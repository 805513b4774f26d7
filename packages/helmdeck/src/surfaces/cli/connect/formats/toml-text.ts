import { parseTomlText, tomlString } from './toml-syntax.ts';

export type TomlPath = readonly string[];

const isAt = (path: TomlPath, of: TomlPath) =>
  path.length === of.length && of.every((name, at) => path[at] === name);
const isUnder = (path: TomlPath, top: TomlPath) => isAt(path.slice(0, top.length), top);

/** A JSON string is a valid TOML string. */
const written = (value: string) => JSON.stringify(value);
const name = (text: string) => (/^[A-Za-z0-9_-]+$/.test(text) ? text : JSON.stringify(text));

/** The string at a path, or undefined. */
export function readString(text: string, path: TomlPath): string | undefined {
  const pair = parseTomlText(text).pairs.findLast((each) => isAt(each.path, path));
  const value = pair && text.slice(pair.valueStart, pair.end);
  return value && /^["']/.test(value) ? tomlString(value) : undefined;
}

/** Sets the string at a path; the rest of the text, comments included, stays as it is. */
export function setString(text: string, path: TomlPath, value: string): string {
  const { pairs, tables } = parseTomlText(text);
  const put = (at: number, added: string, until = at) => text.slice(0, at) + added + text.slice(until);
  const known = pairs.findLast((pair) => isAt(pair.path, path));
  if (known) return put(known.valueStart, written(value), known.end);
  const [parent, own] = [path.slice(0, -1), path.at(-1)!];
  const braces = pairs.findLast((pair) => isAt(pair.path, parent));
  if (braces) {
    if (text[braces.valueStart] !== '{') throw new SyntaxError(`${parent.join('.')} is not a table`);
    const inside = /^\{\s*/.exec(text.slice(braces.valueStart))![0].length + braces.valueStart;
    const comma = text[inside] === '}' ? ' ' : ', ';
    return put(braces.valueStart + 1, ` ${name(own)} = ${written(value)}${comma}`, inside);
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

/** Removes everything at and below a path. */
export function removePath(text: string, path: TomlPath): string {
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
