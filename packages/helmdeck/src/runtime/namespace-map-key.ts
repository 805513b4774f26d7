// A caller's namespace id is the same Uint8Array on every request, and one store operation needs its map key a dozen times.
const keys = new WeakMap<Uint8Array, string>();

/** A namespace id as a string that can be the key of a Map. */
export function namespaceMapKey(ns: Uint8Array): string {
  const known = keys.get(ns);
  if (known !== undefined) return known;
  const key = Buffer.from(ns.buffer, ns.byteOffset, ns.byteLength).toString('latin1');
  keys.set(ns, key);
  return key;
}
