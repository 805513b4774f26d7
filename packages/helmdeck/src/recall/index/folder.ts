/** The path of a key without its last part; nothing for a key that is no path. */
export const folderOf = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf('/')));

export const NO_FOLDER = 0;

/** A number for a key's folder (FNV-1a), the same on every node. Two folders of one number would only be taken for one. */
export function folderNumber(key: string): number {
  const folder = folderOf(key);
  if (folder === '') return NO_FOLDER;
  let hash = 0x811c9dc5;
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
