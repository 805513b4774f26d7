import { type JsonChild, type JsonNode, jsonValue, parseJsonText } from './json-syntax.ts';

/** Field names and list indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

const EMPTY = '{}\n';
const orEmpty = (text: string) => (text.trim() === '' ? EMPTY : text);

/** The value at a path, or undefined. */
export function readAt(text: string, path: JsonPath): unknown {
  let node: JsonNode | undefined = parseJsonText(orEmpty(text));
  for (const step of path) node = node && childAt(node, step)?.node;
  return node && jsonValue(node);
}

/** Sets the value at a path; the rest of the text, comments included, stays as it is. */
export function setAt(text: string, path: JsonPath, value: unknown): string {
  return keepingLineEnds(text, (lines) => withValue(orEmpty(lines), path, value));
}

/** Removes the value at a path. */
export function removeAt(text: string, path: JsonPath): string {
  return keepingLineEnds(text, (lines) => without(orEmpty(lines), path));
}

function keepingLineEnds(text: string, edit: (lines: string) => string): string {
  if (!text.includes('\r\n')) return edit(text);
  return edit(text.replaceAll('\r\n', '\n')).replaceAll('\n', '\r\n');
}

function withValue(text: string, path: JsonPath, value: unknown): string {
  let node = parseJsonText(text);
  for (const [depth, step] of path.entries()) {
    assertHolds(node, step);
    const child = childAt(node, step);
    if (!child) return insert(text, node, step, nested(path.slice(depth + 1), value));
    node = child.node;
  }
  if (JSON.stringify(jsonValue(node)) === JSON.stringify(value)) return text;
  const indent = indentAt(text, node.start);
  return text.slice(0, node.start) + written(text, value, indent) + text.slice(node.end);
}

function without(text: string, path: JsonPath): string {
  let node = parseJsonText(text);
  for (const step of path.slice(0, -1)) {
    const child = childAt(node, step);
    if (!child) return text;
    node = child.node;
  }
  const gone = childAt(node, path.at(-1)!);
  if (!gone) return text;
  const before = node.children![node.children!.indexOf(gone) - 1];
  const isLast = node.children!.at(-1) === gone;
  const start = blankStart(text, gone.start, before?.end ?? node.start + 1);
  const left = text.slice(0, start) + text.slice(gone.end);
  // The new last child loses its comma, as strict JSON requires, unless the removed one had a trailing comma.
  const hadComma = gone.end > gone.node.end;
  const strict =
    before && isLast && !hadComma
      ? left.slice(0, before.node.end) + left.slice(before.node.end).replace(/^\s*,/, '')
      : left;
  return node.children!.length > 1 ? strict : closedUp(strict, node.start);
}

function assertHolds(node: JsonNode, step: string | number): void {
  if (!node.children || (node.isList === true) !== (typeof step === 'number'))
    throw new TypeError(`"${step}" cannot be set: its parent is not an object or list`);
}

/** Of duplicate keys the last one counts, as in JSON parsers. */
function childAt({ children = [] }: JsonNode, step: string | number): JsonChild | undefined {
  return typeof step === 'number' ? children[step] : children.findLast(({ key }) => key === step);
}

/** Wraps a value in objects and lists, for the part of a path that does not exist yet. */
function nested(path: JsonPath, value: unknown): unknown {
  return path.reduceRight((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value);
}

function insert(text: string, node: JsonNode, step: string | number, value: unknown): string {
  const children = node.children!;
  const last = children.at(-1);
  const shape = text.slice(node.start, node.end);
  const inline = last !== undefined && !shape.includes('\n');
  const outer = indentAt(text, node.start);
  const indent = last && !inline ? indentAt(text, last.start) : outer + unitOf(text);
  const name = node.isList ? '' : `${JSON.stringify(step)}: `;
  const entry = name + (inline ? JSON.stringify(value) : written(text, value, indent));
  if (!last) {
    const inside = text.slice(node.start + 1, node.end - 1).trimEnd();
    return `${text.slice(0, node.start + 1)}${inside}\n${indent}${entry}\n${outer}${text.slice(node.end - 1)}`;
  }
  const hasComma = last.end > last.node.end;
  // A comment after the last entry stays with it.
  const comment = text.slice(last.end, node.end - 1).trimEnd();
  const rest = text.slice(last.end + comment.length);
  const gap = inline ? ' ' : `\n${indent}`;
  return `${text.slice(0, last.end)}${hasComma ? '' : ','}${comment}${gap}${entry}${hasComma ? ',' : ''}${rest}`;
}

function written(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `\n${indent}`);
}

/** The indentation of the line that contains this position. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1);
  return /^[ \t]*/.exec(line)![0];
}

/** The indentation unit of this file. */
function unitOf(text: string): string {
  return /^(\t| {1,8})\S/m.exec(text)?.[1] ?? '  ';
}

function blankStart(text: string, at: number, from: number): number {
  return from + text.slice(from, at).trimEnd().length;
}

/** Collapses an object or list that contains only white space. */
function closedUp(text: string, start: number): string {
  return text.slice(0, start) + text.slice(start).replace(/^([{[])\s+([}\]])/, '$1$2');
}
