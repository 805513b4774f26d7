const FACTS = 'helmdeck://facts/';

export const FACT_TEMPLATE = `${FACTS}{+key}`;

/** The address of a fact. Slashes stay; everything else that a URI cannot hold is encoded, and so is a percent sign. */
export function factUri(key: string): string {
  return FACTS + encodeURIComponent(key).replaceAll('%2F', '/');
}

/** The key in a fact's address, or nothing when it is the address of something else. */
export function keyInUri(uri: string): string | undefined {
  if (!uri.startsWith(FACTS) || uri.length === FACTS.length) return undefined;
  const encoded = uri.slice(FACTS.length);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // written by hand, with a percent sign that stands for itself
  }
}
