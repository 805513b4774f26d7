const FACTS = 'helmdeck://facts/';

export const FACT_TEMPLATE = `${FACTS}{+key}`;
export const SPACE_FACT_TEMPLATE = 'helmdeck://spaces/{slug}/facts/{+key}';
const SPACE_FACT = /^helmdeck:\/\/spaces\/([^/]+)\/facts\/(.+)$/s;

/** The resource URI of a fact: its key, percent-encoded except for slashes. */
export function factUri(key: string): string {
  return FACTS + encodeURIComponent(key).replaceAll('%2F', '/');
}

/** The key in the resource URI of a fact; undefined for any other URI. */
export function keyInUri(uri: string): string | undefined {
  if (!uri.startsWith(FACTS) || uri.length === FACTS.length) return undefined;
  return decoded(uri.slice(FACTS.length));
}

/** Space and key in the resource URI of a fact of a space; undefined for any other URI. */
export function spaceFactIn(uri: string): { slug: string; key: string } | undefined {
  const [, slug, key] = SPACE_FACT.exec(uri) ?? [];
  return slug === undefined || key === undefined ? undefined : { slug, key: decoded(key) };
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // written by hand, with a literal percent sign
  }
}
