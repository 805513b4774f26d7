import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextPages } from './text-pages.ts';

const size = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.constantFrom(0, 4_095, 4_096, 4_097, 65_536, 1 << 20, (1 << 20) + 1),
);

it('texts are returned unchanged, and wiped ones as zeros, across page boundaries and snapshots', () => {
  const item = fc.record({ size, wiped: fc.boolean() });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), fc.nat({ max: 40 }), (items, savedAfter) => {
      let texts = createTextPages();
      for (const [number, each] of items.entries()) {
        if (number === savedAfter) texts = copyOf(texts);
        texts.add(Buffer.alloc(each.size, (number % 255) + 1));
      }
      for (const [number, { wiped }] of items.entries()) if (wiped) texts.wipe(number);
      for (const [number, { size: length, wiped }] of items.entries()) {
        const expected = Buffer.alloc(length, wiped ? 0 : (number % 255) + 1);
        expect(texts.get(number).equals(expected)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

/** Copies as a snapshot does: page by page, then the table of places. */
function copyOf(texts: ReturnType<typeof createTextPages>): ReturnType<typeof createTextPages> {
  const copy = createTextPages();
  for (const page of texts.usedPages()) copy.addPage(page.length).set(page);
  for (let at = 0; at < texts.places.length; at++) copy.places.push(texts.places.get(at));
  return copy;
}
