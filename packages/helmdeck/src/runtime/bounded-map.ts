/** Bounds the cost of one `set` while most entries are pinned; more than one, so that the map shrinks when pins end. */
const MAX_EVICTION_STEPS = 8;

/**
 * A Map that holds at most `maxEntries`: one more evicts the least recently used. `get` and `set` count as use. Entries
 * for which `isPinned` is true count as used and stay, so the map may exceed its limit by about as many as are pinned.
 */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  readonly #onEvict: ((key: K, value: V) => void) | undefined;
  readonly #isPinned: ((value: V) => boolean) | undefined;

  constructor(maxEntries: number, onEvict?: (key: K, value: V) => void, isPinned?: (value: V) => boolean) {
    this.#maxEntries = maxEntries;
    this.#onEvict = onEvict;
    this.#isPinned = isPinned;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Reads without counting as use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined && !this.#entries.has(key)) return undefined;
    // Below half of the limit the order does not matter yet, and maintaining it took 4 % of the CPU of a store.
    if (this.#entries.size * 2 >= this.#maxEntries) this.#moveToEnd(key, value!);
    return value;
  }

  #moveToEnd(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }

  set(key: K, value: V): void {
    this.#moveToEnd(key, value);
    if (this.#entries.size > this.#maxEntries) this.#evict(key);
  }

  /** Evicts the least recently used entries that are neither pinned nor the one just set. */
  #evict(justSet: K): void {
    let steps = 0;
    for (const [key, value] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries || steps++ === MAX_EVICTION_STEPS) return;
      if (key === justSet) continue;
      if (this.#isPinned?.(value)) {
        this.#moveToEnd(key, value);
        continue;
      }
      this.#entries.delete(key);
      this.#onEvict?.(key, value);
    }
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Least recently used first. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }
}
