import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../packages/helmdeck/src/memory/crypto/keyring.ts';
import { namespaceKeys, open, seal } from '../../packages/helmdeck/src/memory/crypto/sealed.ts';
import { type EntryContent, KINDS } from '../../packages/helmdeck/src/memory/entry.ts';
import type { Row } from '../../packages/helmdeck/src/memory/store.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const timeMs = fc.integer({ min: 0, max: 4e12 });
const text = fc.string({ unit: 'grapheme', maxLength: 80 });
const content: fc.Arbitrary<EntryContent> = fc.record(
  { key: text, value: text, category: text, tags: fc.array(text, { maxLength: 3 }), version: fc.nat() },
  { requiredKeys: ['key', 'value'] },
);
const columns = fc.record({
  id: bytes(16),
  kind: fc.constantFrom(...KINDS),
  group: fc.option(bytes(16)),
  rev: fc.integer({ min: 1, max: 1e9 }),
  createdMs: timeMs,
  updatedMs: timeMs,
  expiresMs: fc.option(timeMs),
});

const keys = namespaceKeys(randomBytes(16), 1, randomBytes(32));
const sealed = fc.record({ columns, content }).map(({ columns: h, content: c }) => ({
  row: { ...seal(keys, h, c), seq: 1 } satisfies Row,
  content: c,
}));

/** Changes of one plaintext column or of the body. */
const changes: Record<string, (row: Row, seed: number) => Row> = {
  'rev + 1': (row) => ({ ...row, rev: row.rev + 1 }),
  'rev - 1': (row) => ({ ...row, rev: row.rev - 1 }),
  created: (row, seed) => ({ ...row, createdMs: row.createdMs + seed }),
  updated: (row, seed) => ({ ...row, updatedMs: row.updatedMs - seed }),
  'a later expiry': (row, seed) => ({ ...row, expiresMs: (row.expiresMs ?? 0) + seed }),
  'an expiry added or removed': (row) => ({ ...row, expiresMs: row.expiresMs === null ? 0 : null }),
  kind: (row, seed) => ({ ...row, kind: KINDS[(KINDS.indexOf(row.kind) + 1 + (seed % (KINDS.length - 1))) % KINDS.length]! }),
  'a bit of the id': (row, seed) => ({ ...row, id: flip(row.id, seed) }),
  'a truncated id': (row) => ({ ...row, id: row.id.subarray(0, 15) }),
  'a longer id': (row, seed) => ({ ...row, id: Buffer.concat([row.id, Buffer.alloc(seed % 300 + 1)]) }),
  'a bit of the group': (row, seed) => ({ ...row, group: row.group ? flip(row.group, seed) : randomBytes(16) }),
  'a group added or removed': (row) => ({ ...row, group: row.group ? null : new Uint8Array(16) }),
  'a longer group': (row, seed) => ({ ...row, group: Buffer.concat([row.group ?? Buffer.alloc(16), Buffer.alloc(seed % 300 + 1)]) }),
  'an empty group': (row) => ({ ...row, group: new Uint8Array() }),
  'a bit of the body': (row, seed) => ({ ...row, body: flip(row.body, seed) }),
  'a body truncated at the end': (row, seed) => ({ ...row, body: row.body.subarray(0, row.body.length - 1 - (seed % row.body.length)) }),
  'a body truncated at the start': (row, seed) => ({ ...row, body: row.body.subarray(1 + (seed % (row.body.length - 1))) }),
  'a longer body': (row, seed) => ({ ...row, body: Buffer.concat([row.body, Buffer.alloc(seed % 70 + 1)]) }),
  'no body': (row) => ({ ...row, body: new Uint8Array() }),
}; // biome-ignore format: one change per line

function flip(original: Uint8Array, seed: number): Uint8Array {
  const changed = Buffer.from(original);
  const bit = seed % (changed.length * 8);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}
const seed = fc.integer({ min: 1, max: 1e9 });

describe('sealed rows', () => {
  it('a sealed row opens to exactly what was sealed', () => {
    fc.assert(
      fc.property(sealed, ({ row, content: inside }) => {
        const { id, kind, rev, seq, createdMs, updatedMs, expiresMs, ...opened } = open(keys, row)!;
        expect(opened).toEqual(JSON.parse(JSON.stringify(inside)));
        expect({ id: Buffer.from(id), kind, rev, seq, createdMs, updatedMs, expiresMs }).toEqual({
          id: Buffer.from(row.id),
          kind: row.kind,
          rev: row.rev,
          seq: 1,
          createdMs: row.createdMs,
          updatedMs: row.updatedMs,
          expiresMs: row.expiresMs,
        });
      }),
      { numRuns: 200 },
    );
  });

  it.each(Object.entries(changes))('a sealed row with a change (%s) does not open', (_name, change) => {
    fc.assert(
      fc.property(sealed, seed, ({ row }, number) => {
        expect(open(keys, change(row, number))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('a sealed row with any single bit of its body flipped does not open', () => {
    const row = {
      ...seal(
        keys,
        { id: randomBytes(16), kind: 'fact', group: null, rev: 1, createdMs: 1, updatedMs: 1, expiresMs: 2 },
        { key: 'a', value: 'b' },
      ),
      seq: 1,
    };
    for (let bit = 0; bit < row.body.length * 8; bit++)
      expect(open(keys, { ...row, body: flip(row.body, bit) })).toBeUndefined();
  });

  it('a sealed row with the body of another row does not open, even if they differ only in a timestamp', () => {
    fc.assert(
      fc.property(sealed, sealed, seed, ({ row: a, content: inside }, { row: b }, number) => {
        expect(open(keys, { ...a, body: b.body })).toBeUndefined();
        const { body: _, seq: __, ...twin } = a;
        const later = seal(keys, { ...twin, updatedMs: a.updatedMs + number }, inside);
        expect(open(keys, { ...a, body: later.body })).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('a sealed row does not open in another namespace, nor under the new data key after an erasure', () => {
    const dataKey = randomBytes(32);
    const here = namespaceKeys(randomBytes(16), 1, dataKey);
    fc.assert(
      fc.property(columns, content, (h, inside) => {
        const row = { ...seal(here, h, inside), seq: 1 };
        expect(open(here, row)).toBeDefined();
        expect(open(namespaceKeys(randomBytes(16), 1, dataKey), row)).toBeUndefined();
        expect(open(namespaceKeys(here.ns, 1, randomBytes(32)), row)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('ciphertext is padded to a multiple of 64 bytes, and sealing twice gives different bytes', () => {
    const at = {
      id: randomBytes(16),
      kind: 'fact',
      group: null,
      rev: 1,
      createdMs: 1,
      updatedMs: 1,
      expiresMs: 2,
    } as const;
    const sizes = new Set<number>();
    for (let length = 1; length < 100; length++)
      sizes.add(seal(keys, at, { key: 'k', value: 'x'.repeat(length) }).body.length);
    expect([...sizes].map((size) => (size - 28) % 64)).toEqual([0, 0]);
    const twice = [1, 2].map(() =>
      Buffer.from(seal(keys, at, { key: 'k', value: 'v' }).body).toString('hex'),
    );
    expect(twice[0]).not.toBe(twice[1]);
  });
});

describe('wrapped keys', () => {
  it('a wrapped key does not unwrap with a flipped bit, another context or another master key', () => {
    const ring = createKeyring({ current: randomBytes(32) });
    fc.assert(
      fc.property(bytes(32), bytes(16), seed, (plain, context, number) => {
        const wrapped = ring.wrap(plain, context);
        expect(ring.unwrap(wrapped, context)).toEqual(Buffer.from(plain));
        expect(ring.unwrap(flip(wrapped, number), context)).toBeUndefined();
        expect(ring.unwrap(wrapped, flip(context, number))).toBeUndefined();
        expect(ring.unwrap(wrapped.subarray(0, number % wrapped.length), context)).toBeUndefined();
        expect(createKeyring({ current: randomBytes(32) }).unwrap(wrapped, context)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
