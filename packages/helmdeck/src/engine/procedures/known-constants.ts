import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import { fingerprintOf } from '../history/value-trace.ts';
import type { Pack } from '../pack/pack.ts';

const MAX_INTEGER = 1_000;

/** What every pack may be given or return: no evidence of a flow. */
const TRIVIAL: readonly unknown[] = [true, false, null, '', 0, 1, [], {}];

/** Finds out a value by its fingerprint, among those that are known without the runs. */
export interface KnownConstants {
  readonly trivial: ReadonlySet<string>;
  find(pack: Pack, path: string, value: string, learned: Iterable<string>): { value: unknown } | undefined;
}

/** Only the caller's own key can make the fingerprints to compare with. */
export function knownConstants(keys: NamespaceKeys): KnownConstants {
  const fingerprints = new Map<string, string>();
  const print = (value: unknown) => {
    const name = JSON.stringify(value);
    const known = fingerprints.get(name) ?? fingerprintOf(keys, value);
    fingerprints.set(name, known);
    return known;
  };
  return {
    trivial: new Set(TRIVIAL.map(print)),
    find(pack, path, value, learned) {
      const integers = Array.from({ length: MAX_INTEGER + 1 }, (_, at) => at);
      for (const source of [learned, valuesInSchema(pack, path), TRIVIAL, integers])
        for (const each of source) if (print(each) === value) return { value: each };
      return undefined;
    },
  };
}

interface Schema {
  type?: unknown;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The part of a pack's input schema that describes the value at a path. */
export function schemaAt(pack: Pack, path: string): Schema {
  let schema: Schema | undefined = pack.inputSchema as Schema;
  for (const [, name] of path.matchAll(/([A-Za-z0-9_-]+)|\[\d+\]/g))
    schema = name === undefined ? schema?.items : schema?.properties?.[name];
  return schema ?? {};
}

function valuesInSchema(pack: Pack, path: string): unknown[] {
  const schemas = [schemaAt(pack, path), ...(schemaAt(pack, path).anyOf ?? [])];
  return [
    ...schemas.flatMap((each) => [
      ...(each.enum ?? []),
      ...(each.examples ?? []),
      ...('const' in each ? [each.const] : []),
      ...('default' in each ? [each.default] : []),
    ]),
    ...pack.examples.map(({ input }) => valueAt(input, path)),
  ].filter((each) => each !== undefined);
}

function valueAt(input: unknown, path: string): unknown {
  let value = input;
  for (const [, name, index] of path.matchAll(/([A-Za-z0-9_-]+)|\[(\d+)\]/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name ?? index!];
  }
  return value;
}
