// @ts-check
// Paths of entries in Helmdeck: helmdeck://facts/<key> and helmdeck://spaces/<name>/facts/<key>, the URIs of the MCP
// resources, and helmdeck://audit/<kind>/<name>#<docid> for one of many runs of the same name.

const SCHEME = 'helmdeck://';

/** @param {string} file */
export const isFact = (file) => /^(?:spaces\/[^/]+\/)?facts\//.test(file);

/** @param {unknown} path */
export const isHelmdeckPath = (path) =>
  typeof path === 'string' && path.trim().toLowerCase().startsWith(SCHEME);

/** @param {{ file: string, docid: string }} document */
export function pathOf({ file, docid }) {
  const path = SCHEME + encodeURIComponent(file).replaceAll('%2F', '/');
  return isFact(file) ? path : path + docid;
}

/**
 * The file to request from the server; undefined if the path is not a path of Helmdeck.
 * @param {string} path
 * @returns {string | undefined}
 */
export function fileAt(path) {
  if (!isHelmdeckPath(path)) return undefined;
  const rest = path.trim().slice(SCHEME.length);
  const docid = isFact(rest) ? undefined : /#.+$/.exec(rest)?.[0];
  if (docid !== undefined) return docid;
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest; // typed by a person, with an unescaped percent sign
  }
}
