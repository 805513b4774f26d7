import { isDeepStrictEqual } from 'node:util';
import {
  COMMENT,
  type JsonChild,
  type JsonNode,
  jsonValue,
  LINE_BREAK,
  parseJsonText,
} from './json-syntax.ts';

// Edits JSON, JSONC and JSON5 in place. Every result is read back: an edit must change the value at its path and nothing else.

/** Field names and list indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

const EMPTY = '{}\n';
const orEmpty = (text: string) => (text.trim() === '' ? EMPTY : text);

/** The value at a path, or undefined. */
export function readAt(text: string, path: JsonPath): unknown {
  const strict = parsedStrictly(text);
  if (strict) return path.reduce(fieldOf, strict.value);
  let node: JsonNode | undefined = parseJsonText(orEmpty(text));
  for (const step of path) node = node && childAt(node, step)?.node;
  return node && jsonValue(node);
}

/** The value of a text that is strict JSON: much faster for files of megabytes, as some programs have. */
function parsedStrictly(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // it has comments, or is malformed
  }
}

function fieldOf(value: unknown, step: string | number): unknown {
  const holds =
    typeof value === 'object' && value !== null && Array.isArray(value) === (typeof step === 'number');
  return holds && Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
}

/** Sets the value at a path; the rest of the text, comments included, stays as it is. */
export function setAt(text: string, path: JsonPath, value: unknown): string {
  const after = keepingLineEnds(text, (lines) => withValue(orEmpty(lines), path, value));
  return checked(text, after, (before) => changed(before, path, value), path);
}

/** Removes the value at a path, and every duplicate of its key. */
export function removeAt(text: string, path: JsonPath): string {
  const after = keepingLineEnds(text, (lines) => {
    let left = without(orEmpty(lines), path);
    if (typeof path.at(-1) === 'string') while (readAt(left, path) !== undefined) left = without(left, path);
    return left;
  });
  return checked(text, after, (before) => changed(before, path, undefined), path);
}

/**
 * Removes the value at a path, and the objects and lists around it that it leaves empty, unless the original file had
 * them.
 */
export function removeWithParents(text: string, path: JsonPath, original: string): string {
  let left = removeAt(text, path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const parent = path.slice(0, depth);
    const value = readAt(left, parent);
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    if (!isEmpty || readAt(original, parent) !== undefined) break;
    left = removeAt(left, parent);
  }
  return left;
}

function checked(
  before: string,
  after: string,
  expected: (value: unknown) => unknown,
  path: JsonPath,
): string {
  if (before === after) return after;
  const meant = expected(jsonValue(parseJsonText(orEmpty(before))));
  if (isDeepStrictEqual(jsonValue(parseJsonText(after)), meant)) return after;
  throw new TypeError(`"${path.join('.')}" is written in a form that cannot be edited`);
}

/** A copy of a value with another one at the path; without it if that is undefined. */
function changed(value: unknown, [step, ...rest]: JsonPath, next: unknown): unknown {
  if (step === undefined) return next;
  const isList = typeof step === 'number';
  const copy: Record<string | number, unknown> | unknown[] = isList
    ? [...((value as unknown[] | undefined) ?? [])]
    : { ...(value as object | undefined) };
  const own = Object.hasOwn(copy, step) ? (copy as Record<string | number, unknown>)[step] : undefined;
  if (next === undefined && (own === undefined || typeof value !== 'object')) return value;
  if (next === undefined && rest.length === 0) {
    if (Array.isArray(copy)) copy.splice(step as number, 1);
    else delete copy[step];
    return copy;
  }
  Object.defineProperty(copy, step, {
    value: changed(own, rest, next),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
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
  const from = before?.end ?? node.start + 1;
  const start = blankStart(text, gone.start, from);
  const rest = text.slice(gone.end);
  // A line comment before it must still end before what follows.
  const lineBreak = endsInLineComment(text.slice(from, start)) && !/^[ \t]*[\r\n]/.test(rest) ? '\n' : '';
  // The new last child loses its comma, as strict JSON requires, unless the removed one had a trailing comma.
  const hadComma = gone.end > gone.node.end;
  const dropsComma = before && isLast && !hadComma;
  const kept = dropsComma ? withoutComma(text, before) + text.slice(before.end, start) : text.slice(0, start);
  const left = kept + lineBreak + rest;
  return node.children!.length > 1 ? left : closedUp(left, node.start);
}

/** The text up to a child, without its comma and the white space before that; a comment there stays. */
function withoutComma(text: string, { node, end }: JsonChild): string {
  const gap = text.slice(node.end, end - 1);
  return text.slice(0, node.end) + (gap.trim() === '' ? '' : gap);
}

function endsInLineComment(blank: string): boolean {
  const last = [...blank.matchAll(COMMENT)].at(-1);
  if (!last?.[0].startsWith('//')) return false;
  return last.index + last[0].length === blank.length;
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
  const inline = last !== undefined && !LINE_BREAK.test(shape);
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
