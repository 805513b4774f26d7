import { type JsonChild, type JsonNode, meaningOf, parseJsonText } from './json-syntax.ts';

/** Names of objects' fields and places in lists, from the outside in. */
export type JsonPath = readonly (string | number)[];

const EMPTY = '{}\n';
const orEmpty = (text: string) => (text.trim() === '' ? EMPTY : text);

/** What stands at a path, or nothing. */
export function readAt(text: string, path: JsonPath): unknown {
  let node: JsonNode | undefined = parseJsonText(orEmpty(text));
  for (const step of path) node = node && childAt(node, step)?.node;
  return node && meaningOf(node);
}

/** The text with another value at a path; all that stands elsewhere stays as it is, comments too. */
export function setAt(text: string, path: JsonPath, value: unknown): string {
  return keepingLineEnds(text, (lines) => withValue(orEmpty(lines), path, value));
}

/** The text without what stands at a path. */
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
  if (JSON.stringify(meaningOf(node)) === JSON.stringify(value)) return text;
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
  // What is last now has no comma, as strict JSON wants it, unless the last one had one before.
  const hadComma = gone.end > gone.node.end;
  const strict =
    before && isLast && !hadComma
      ? left.slice(0, before.node.end) + left.slice(before.node.end).replace(/^\s*,/, '')
      : left;
  return node.children!.length > 1 ? strict : closedUp(strict, node.start);
}

function assertHolds(node: JsonNode, step: string | number): void {
  if (!node.children || (node.isList === true) !== (typeof step === 'number'))
    throw new TypeError(`"${step}" cannot be put where something else stands`);
}

/** The last of a name counts, as for whoever reads JSON. */
function childAt({ children = [] }: JsonNode, step: string | number): JsonChild | undefined {
  return typeof step === 'number' ? children[step] : children.findLast(({ key }) => key === step);
}

/** Objects and lists around a value, for the part of a path that is not there yet. */
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
  // A remark behind the last entry stays with it.
  const remark = text.slice(last.end, node.end - 1).trimEnd();
  const rest = text.slice(last.end + remark.length);
  const gap = inline ? ' ' : `\n${indent}`;
  return `${text.slice(0, last.end)}${hasComma ? '' : ','}${remark}${gap}${entry}${hasComma ? ',' : ''}${rest}`;
}

function written(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `\n${indent}`);
}

/** The white space in front of the line that a character stands in. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1);
  return /^[ \t]*/.exec(line)![0];
}

/** How this file indents. */
function unitOf(text: string): string {
  return /^(\t| {1,8})\S/m.exec(text)?.[1] ?? '  ';
}

function blankStart(text: string, at: number, from: number): number {
  return from + text.slice(from, at).trimEnd().length;
}

/** An object or list in which nothing but white space is left. */
function closedUp(text: string, start: number): string {
  return text.slice(0, start) + text.slice(start).replace(/^([{[])\s+([}\]])/, '$1$2');
}
