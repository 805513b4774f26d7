import { describe, expect, it } from 'vitest';
import { createDraftStore } from './draft-store.ts';

function storage(items = new Map<string, string>()) {
  return {
    items,
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

const storeOn = (place: ReturnType<typeof storage>, subject: string) => {
  const store = createDraftStore(place, () => 1_000);
  store.ownedBy(subject);
  return store;
};

describe('the draft store', () => {
  it('a draft is there after a reload, with the time it was typed', () => {
    const place = storage();
    storeOn(place, 'ann').save('fact:a', { value: 'typed' });
    expect(storeOn(place, 'ann').read('fact:a')).toEqual({
      value: { value: 'typed' },
      atMs: 1_000,
      asked: false,
    });
  });

  it('another subject neither sees the drafts nor finds them in the storage', () => {
    const place = storage(new Map([['theme', 'dark']]));
    storeOn(place, 'ann').save('new', 'typed');
    expect(storeOn(place, 'ann:x').read('new')).toBeUndefined();
    expect([...place.items.keys()]).toEqual(['theme']);
  });

  it('a draft that was left once stays marked while it is edited, until it is discarded', () => {
    const place = storage();
    const store = storeOn(place, 'ann');
    store.save('new', 'a');
    store.markAsked('new');
    store.save('new', 'b');
    expect(storeOn(place, 'ann').read('new')).toMatchObject({ value: 'b', asked: true });
    store.discard('new');
    store.save('new', 'c');
    expect(store.read('new')?.asked).toBe(false);
  });

  it('clearing removes every draft from the storage and nothing else', () => {
    const place = storage(new Map([['theme', 'dark']]));
    const store = storeOn(place, 'ann');
    store.save('new', 'a');
    store.clear();
    expect(store.read('new')).toBeUndefined();
    expect([...place.items.keys()]).toEqual(['theme']);
  });

  it('without room in the storage a draft lasts as long as the page', () => {
    const full = {
      ...storage(),
      setItem: () => {
        throw new Error('full');
      },
    };
    const store = createDraftStore(full, () => 1_000);
    store.ownedBy('ann');
    store.save('new', 'a');
    expect(store.read('new')?.value).toBe('a');
  });

  it('a damaged entry is dropped', () => {
    const place = storage(new Map([['helmdeck-draft:ann:new', '{"atMs":']]));
    expect(storeOn(place, 'ann').read('new')).toBeUndefined();
    expect(place.items.size).toBe(0);
  });
});
