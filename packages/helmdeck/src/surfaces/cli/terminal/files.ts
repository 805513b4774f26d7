import { open, readFile, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../../../errors.ts';

/** All of stdin as text. */
export async function readStdin(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

/** A JSON file, or stdin for `-`. */
export async function readJsonFile(path: string, input: Readable): Promise<unknown> {
  const text = path === '-' ? await readStdin(input) : await readFile(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_input', `${path} is not JSON.`, { reason: 'file', hint: 'Check the path.' });
  }
}

/** A new file with mode 0600 that gets its content atomically. */
export interface NewFile {
  write(bytes: Uint8Array | string): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

export async function createNewFile(path: string, replace: boolean): Promise<NewFile> {
  // Creating an empty file first fails early if the name exists, and reserves it.
  if (!replace) await (await open(path, 'wx', 0o600)).close();
  const partial = `${path}.${process.pid}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch(async (thrown) => {
    if (!replace) await rm(path, { force: true });
    throw thrown;
  });
  return {
    write: async (bytes) => void (await handle.write(bytes as Uint8Array)),
    async finish() {
      await handle.sync();
      await handle.close();
      await rename(partial, path);
    },
    async discard() {
      await handle.close().catch(() => undefined);
      await rm(partial, { force: true });
      if (!replace) await rm(path, { force: true });
    },
  };
}
