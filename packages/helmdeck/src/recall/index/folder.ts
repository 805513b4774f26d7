/** A key's folder: its path without the last segment; empty for a key without a slash. */
export const folderOf = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf('/')));

export const NO_FOLDER = 0;

/** FNV-1a hash of a key's folder, the same on every node. Two folders that collide share their folder boost: harmless. */
export function folderHash(key: string): number {
  const folder = folderOf(key);
  if (folder === '') return NO_FOLDER;
  let hash = 0x811c9dc5;
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
