import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

const keysOf = <K, V>(map: BoundedMap<K, V>) => [...map.entries()].map(([key]) => key);

describe('BoundedMap', () => {
  it('a full BoundedMap evicts the least recently used entry', () => {
    const evicted: string[] = [];
    const map = new BoundedMap<string, number>(2, (key) => evicted.push(key));
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect(keysOf(map)).toEqual(['a', 'c']);
    expect(evicted).toEqual(['b']);
  });

  it('peek and has do not count as use of an entry', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect([map.peek('a'), map.has('a')]).toEqual([1, true]);
    map.set('c', 3);
    expect(keysOf(map)).toEqual(['b', 'c']);
  });

  it('a BoundedMap never evicts pinned entries and exceeds its limit when all are pinned', () => {
    const pinned = new Set([1]);
    const map = new BoundedMap<string, number>(2, undefined, (value) => pinned.has(value));
    map.set('a', 1);
    map.set('b', 2);
    map.set('c', 3);
    expect(keysOf(map).sort()).toEqual(['a', 'c']);
    pinned.add(3);
    map.set('d', 4);
    expect(keysOf(map).sort()).toEqual(['a', 'c', 'd']);
    pinned.clear();
    map.set('e', 5);
    expect([map.size, map.has('e')]).toEqual([2, true]);
  });

  it('a BoundedMap full of pinned entries checks a few per set, and shrinks to its limit when the pins end', () => {
    let checks = 0;
    let pinned = true;
    const map = new BoundedMap<number, string>(100, undefined, () => {
      checks++;
      return pinned;
    });
    for (let key = 0; key < 1_000; key++) map.set(key, 'x');
    expect(map.size).toBe(1_000);
    expect(checks).toBeLessThan(10_000);
    pinned = false;
    for (let key = 1_000; key < 1_200; key++) map.set(key, 'x');
    expect([map.size, map.has(1_199), map.has(999)]).toEqual([100, true, false]);
  });

  it('replacing a value counts as use of the entry and evicts nothing', () => {
    const map = new BoundedMap<string, number | undefined>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', undefined);
    expect([map.size, map.get('a'), keysOf(map)]).toEqual([2, undefined, ['b', 'a']]);
  });

  it('evicts no entry that was used since the map was half full', () => {
    const map = new BoundedMap<number, string>(10);
    for (let key = 0; key < 5; key++) map.set(key, 'early');
    map.get(0);
    for (let key = 5; key < 14; key++) {
      map.get(0);
      map.set(key, 'late');
    }
    expect([map.has(0), map.has(1), map.size]).toEqual([true, false, 10]);
  });
});
