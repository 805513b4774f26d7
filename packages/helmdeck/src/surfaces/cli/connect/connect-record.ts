import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { writeAtomically } from './formats/write-atomically.ts';

// What `connect` changed besides the text of files, so that `--remove` undoes it: in a file of this user.

const FILE = 'connect.json';

export interface ConnectRecord {
  /** Notes the mode that a file had before it was made private; the first one counts. */
  noteMode(path: string, mode: number): void;
  /** The noted mode of a file, which is forgotten. */
  takeMode(path: string): number | undefined;
  /** Notes the folders that were created for a file: `first` and those below it. */
  noteFolders(path: string, first: string): void;
  /** Deletes the noted folders around a file, as far as they are empty. */
  deleteEmptyFolders(path: string): Promise<void>;
  save(): Promise<void>;
}

/** Without a folder for state, as in many containers, nothing is noted beyond this command. */
export async function openConnectRecord(stateDir: string | undefined): Promise<ConnectRecord> {
  const file = stateDir === undefined ? undefined : join(stateDir, FILE);
  const { modes, folders } = await readRecord(file);
  return {
    noteMode(path, mode) {
      if (!modes.has(path)) modes.set(path, mode);
    },
    takeMode(path) {
      const mode = modes.get(path);
      modes.delete(path);
      return mode;
    },
    noteFolders(path, first) {
      for (let folder = dirname(path); folder.startsWith(first); folder = dirname(folder))
        folders.add(folder);
    },
    async deleteEmptyFolders(path) {
      const around = [...folders].filter((folder) => path.startsWith(folder + sep));
      for (const folder of around.sort((a, b) => b.length - a.length)) {
        const isGone = await rmdir(folder).then(
          () => true,
          (thrown) => (thrown as NodeJS.ErrnoException).code === 'ENOENT',
        );
        if (!isGone) return; // in use; a later --remove of another program tries again
        folders.delete(folder);
      }
    },
    async save() {
      if (file === undefined) return;
      const text = JSON.stringify({ modes: Object.fromEntries(modes), folders: [...folders] });
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeAtomically(file, `${text}\n`, 0o600);
    },
  };
}

async function readRecord(file: string | undefined) {
  try {
    const { modes, folders } = JSON.parse(await readFile(file ?? '', 'utf8'));
    return { modes: new Map<string, number>(Object.entries(modes)), folders: new Set<string>(folders) };
  } catch {
    return { modes: new Map<string, number>(), folders: new Set<string>() }; // nothing is connected yet
  }
}
