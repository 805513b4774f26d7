import { hash } from 'node:crypto';
import { ISSUED, PASSWORD } from '../../memory/credential-detector/secret-names.ts';
import { fingerprint, type NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { ValueTrace } from '../../memory/entry.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { canonicalJson } from '../canonical-json.ts';

/** Paths of an input or output with the text of each value, from which its fingerprint is made; `''`: only the path is known. */
export type PathTexts = readonly (readonly [path: string, text: string])[];

/** What is kept of a run's values until its record is written. */
export interface TracedValues {
  in: PathTexts;
  out: PathTexts;
  session?: string;
}

const TRACE_LIMITS = Object.freeze({
  /** Per input and per output. */
  maxPaths: 48,
  maxDepth: 4,
  /** Of an output's array: lists are long, and what is used of them is mostly at their start. */
  maxItems: 3,
  /** Of all objects and arrays of an input or output that are compared as a whole. */
  maxJsonChars: 8_192,
});

/** The names that a reference in a pipeline can have in its path. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const SECRET_NAME = new RegExp(`${PASSWORD}|${ISSUED}|authorization|cookie|credential`, 'i');
const isName = cached((name) => NAME.test(name));
const isSecretName = cached((name) => SECRET_NAME.test(name));
/** A longer text is kept as its digest. */
const MAX_TEXT_CHARS = 128;
/** Of a long text its length, beginning and end are compared. */
const SAMPLED_CHARS = 4_096;

/** Packs have few fields, and these expressions are slow. */
function cached(test: (name: string) => boolean): (name: string) => boolean {
  const known = new BoundedMap<string, boolean>(1_000);
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const result = test(name);
    known.set(name, result);
    return result;
  };
}

interface Place {
  path: string;
  value: unknown;
  depth: number;
}

/**
 * The values of an input, breadth first. An object or array is either listed with all of its fields, so that it can be
 * built again from them, or as a whole; undefined if even its top-level fields are too many.
 */
export function inputTexts(input: unknown): PathTexts | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  return collect(input, true);
}

/** The values of an output, breadth first, as many as fit. */
export function outputTexts(output: unknown): PathTexts {
  return collect(output, false) ?? [];
}

function collect(root: unknown, isInput: boolean): PathTexts | undefined {
  const found: [string, string][] = [];
  const queue: Place[] = [{ path: '', value: root, depth: 0 }];
  let jsonChars: number = TRACE_LIMITS.maxJsonChars;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { path, value, depth } = next;
    if (typeof value !== 'object' || value === null || depth >= TRACE_LIMITS.maxDepth) continue;
    const isList = Array.isArray(value);
    if (isInput && !fits(value, TRACE_LIMITS.maxPaths - found.length)) {
      if (depth === 0) return undefined;
      continue;
    }
    let items = 0;
    for (const name in value) {
      if (found.length === TRACE_LIMITS.maxPaths) return found;
      if (isList ? !isInput && items++ === TRACE_LIMITS.maxItems : !isName(name)) {
        if (isList) break;
        continue;
      }
      const each = (value as Record<string, unknown>)[name];
      if (each === undefined) continue;
      const at = isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      const text = isSecretName(name) ? '' : textOf(each, jsonChars);
      found.push([at, text]);
      if (typeof each !== 'object' || each === null || isSecretName(name)) continue;
      jsonChars = Math.max(0, jsonChars - text.length);
      queue.push({ path: at, value: each, depth: depth + 1 });
    }
  }
  return found;
}

/** Whether all fields of an object or array can be listed. */
function fits(value: object, maxFields: number): boolean {
  if (Array.isArray(value)) return value.length <= maxFields;
  let fields = 0;
  for (const name in value) if (!isName(name) || ++fields > maxFields) return false;
  return true;
}

/** A value as text, different for different values; `''` if it is too large to be compared. */
function textOf(value: unknown, maxJsonChars: number): string {
  if (typeof value === 'string') return `s${shortened(value)}`;
  if (typeof value !== 'object' || value === null) return `j${String(value)}`;
  if (!isSmall(value, maxJsonChars)) return '';
  return `j${shortened(canonicalJson(value))}`;
}

function shortened(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return ` ${text}`;
  const sample =
    text.length <= 2 * SAMPLED_CHARS ? text : text.slice(0, SAMPLED_CHARS) + text.slice(-SAMPLED_CHARS);
  return `#${text.length} ${hash('sha256', sample, 'base64url')}`;
}

/** Whether a value's JSON has about at most this many characters, without writing it. */
function isSmall(value: unknown, maxChars: number): boolean {
  let left = maxChars;
  const visit = (each: unknown): boolean => {
    left -= typeof each === 'string' ? each.length + 3 : 4;
    if (left < 0) return false;
    if (typeof each !== 'object' || each === null) return true;
    for (const name in each) {
      left -= name.length;
      if (!visit((each as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
  return visit(value);
}

/** What a run record keeps of the values: fingerprints under the caller's key. */
export function sealTrace(keys: NamespaceKeys, values: TracedValues): ValueTrace {
  const of = (texts: PathTexts) =>
    Object.fromEntries(texts.map(([path, text]) => [path, text === '' ? '' : fingerprint(keys, text)]));
  return {
    in: of(values.in),
    out: of(values.out),
    ...(values.session === undefined ? {} : { session: fingerprint(keys, `session ${values.session}`) }),
  };
}

/** The fingerprint that a value would have in a run record. */
export const fingerprintOf = (keys: NamespaceKeys, value: unknown): string =>
  fingerprint(keys, textOf(value, TRACE_LIMITS.maxJsonChars));
