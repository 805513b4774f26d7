import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../connect/formats/write-atomically.ts';

// What both sides had when they were last the same. Written after everything else: if sync ends before, the next one
// finds the same text on both sides and continues.

/** A fact and its file when they were last the same. */
export interface SyncedFact {
  /** Of the text in the file; absent if there was no file. */
  hash?: string;
  /** Of the fact; absent if there was no fact. */
  version?: number;
  /** The fact came from the file: when the file is deleted, it is forgotten. */
  fromFile?: true;
}

export type SyncState = Map<string, SyncedFact>;

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** The state of one folder with one server. */
export const stateFile = (stateDir: string, folder: string, server: string) =>
  join(stateDir, 'sync', `${hashOf(`${server}\n${folder}`)}.json`);

export async function readState(file: string): Promise<SyncState> {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(file, 'utf8')) as Record<string, SyncedFact>));
  } catch (thrown) {
    // Without a state nothing is deleted, and texts that differ count as changed on both sides.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT' || thrown instanceof SyntaxError)
      return new Map();
    throw thrown;
  }
}

export async function writeState(file: string, state: SyncState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeAtomically(file, `${JSON.stringify(Object.fromEntries(state))}\n`, 0o600);
}
