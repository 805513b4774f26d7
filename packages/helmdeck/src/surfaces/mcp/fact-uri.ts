const FACTS = 'helmdeck://facts/';

export const FACT_TEMPLATE = `${FACTS}{+key}`;

/** The resource URI of a fact: its key, percent-encoded except for slashes. */
export function factUri(key: string): string {
  return FACTS + encodeURIComponent(key).replaceAll('%2F', '/');
}

/** The key in the resource URI of a fact; undefined for any other URI. */
export function keyInUri(uri: string): string | undefined {
  if (!uri.startsWith(FACTS) || uri.length === FACTS.length) return undefined;
  const encoded = uri.slice(FACTS.length);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // written by hand, with a literal percent sign
  }
}
