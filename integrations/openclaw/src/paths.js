// @ts-check
// Paths of entries in Helmdeck: helmdeck://facts/<key>, the URI of the MCP resource, and
// helmdeck://audit/<kind>/<name>#<docid> for one of many runs of the same name.

const SCHEME = 'helmdeck://';

/** @param {unknown} path */
export const isHelmdeckPath = (path) =>
  typeof path === 'string' && path.trim().toLowerCase().startsWith(SCHEME);

/** @param {{ file: string, docid: string }} document */
export function pathOf({ file, docid }) {
  const path = SCHEME + encodeURIComponent(file).replaceAll('%2F', '/');
  return file.startsWith('facts/') ? path : path + docid;
}

/**
 * The file to request from the server; undefined if the path is not a path of Helmdeck.
 * @param {string} path
 * @returns {string | undefined}
 */
export function fileAt(path) {
  if (!isHelmdeckPath(path)) return undefined;
  const rest = path.trim().slice(SCHEME.length);
  const docid = rest.startsWith('facts/') ? undefined : /#.+$/.exec(rest)?.[0];
  if (docid !== undefined) return docid;
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest; // typed by a person, with an unescaped percent sign
  }
}
