import { describe, expect, it } from 'vitest';
import { createDocumentIds } from './document-ids.ts';

const id = (first: string) => Buffer.from(first.padEnd(16, '.'));

describe('document ids', () => {
  it('an id finds the document that has it now, even if other ids have the same hash', () => {
    const ids = createDocumentIds();
    for (const each of ['same-a', 'same-b', 'other']) ids.add(id(each));
    expect(ids.find(id('same-b'))).toBe(1);
    ids.add(id('same-b'));
    ids.remove(1);
    expect(ids.find(id('same-b'))).toBe(3);
    ids.remove(3);
    expect(ids.find(id('same-b'))).toBeUndefined();
    expect([ids.find(id('same-a')), ids.find(id('other'))]).toEqual([0, 2]);
    expect(ids.idOf(3)).toEqual(id('same-b'));
  });

  it('an id of the wrong length finds nothing', () => {
    const ids = createDocumentIds();
    ids.add(id(''));
    expect(ids.find(Buffer.alloc(0))).toBeUndefined();
    expect(ids.find(Buffer.concat([id(''), id('')]))).toBeUndefined();
  });
});
