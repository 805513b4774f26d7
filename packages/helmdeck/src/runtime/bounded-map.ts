/** A Map that holds at most `maxEntries`: one more evicts the least recently used. `get` and `set` count as use. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  readonly #onEvict: ((key: K, value: V) => void) | undefined;

  constructor(maxEntries: number, onEvict?: (key: K, value: V) => void) {
    this.#maxEntries = maxEntries;
    this.#onEvict = onEvict;
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
    this.#entries.delete(key);
    this.#entries.set(key, value!);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    while (this.#entries.size > this.#maxEntries) {
      const [oldest] = this.#entries as Iterable<[K, V]>;
      this.#entries.delete(oldest![0]);
      this.#onEvict?.(...oldest!);
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
