import { chmod, open, rename, rm } from 'node:fs/promises';

/** Writes to a temporary file and renames it. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  mode: number,
): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const file = await open(partial, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(partial, mode);
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
}
