import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readConfig } from '../connect/formats/config-file.ts';
import { withBlock, withoutBlock } from '../connect/formats/marked-block.ts';
import { writeAtomically } from '../connect/formats/write-atomically.ts';
import { keyIn, type MemoryFile, newMemoryFile, parseMemoryFile, withBody } from './front-matter.ts';

// The folder in which Claude Code keeps its own memory: a file per memory, and MEMORY.md, an index that it reads first.

const INDEX = 'MEMORY.md';
const MAX_FILE_BYTES = 131_072;
const FILE_MODE = 0o644;
const MARKERS = {
  begin: '<!-- helmdeck sync: begin (rewritten by "helmdeck sync claude-code") -->',
  end: '<!-- helmdeck sync: end -->',
};
/** Claude Code reads no more of its index. */
const MAX_INDEX_LINES = 150;
const MAX_HOOK_CHARS = 100;

/** A file of this folder that is being written. */
const PARTIAL = /\.md\.\d+\.partial$/;
const ABANDONED_AFTER_MS = 60_000;

/** A memory on disk. */
export interface FolderFile extends MemoryFile {
  name: string;
  key: string;
  /** Sync created it, and may delete it. */
  isOurs: boolean;
}

export interface MemoryFolder {
  path: string;
  /** The files, those of known facts under the keys that they name. */
  read(known: ReadonlySet<string>): Promise<FolderFile[]>;
  /** Writes the text of a fact: into its file, or into a new one. False if the file has changed since it was read. */
  write(key: string, value: string, file: FolderFile | undefined): Promise<boolean>;
  remove(file: FolderFile): Promise<boolean>;
  /** Lists the files that sync created in the index, and changes nothing else in it. */
  writeIndex(known: ReadonlySet<string>): Promise<void>;
}

/** New files become facts below the prefix. */
export function openMemoryFolder(path: string, prefix: string): MemoryFolder {
  async function read(known: ReadonlySet<string>): Promise<FolderFile[]> {
    const files: FolderFile[] = [];
    const names = await readdir(path).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return [];
      throw thrown;
    });
    await removeAbandoned(path, names);
    for (const name of names.sort()) {
      if (!name.endsWith('.md') || name === INDEX || name.startsWith('.')) continue;
      // A link could point at any file of this person, which must not be sent anywhere.
      const about = await lstat(join(path, name)).catch(() => undefined);
      if (!about?.isFile() || about.size > MAX_FILE_BYTES) continue;
      const file = parseMemoryFile(await readFile(join(path, name), 'utf8'));
      const ownKey = keyIn(file);
      // A copy from another project's folder names a fact that is not of this one: it is a new memory here.
      const isOurs = ownKey !== undefined && (known.has(ownKey) || ownKey.startsWith(prefix));
      files.push({ ...file, name, key: isOurs ? ownKey : prefix + basename(name, '.md'), isOurs });
    }
    // Of two files for one fact the first one counts.
    return files.filter(({ key }, at) => files.findIndex((other) => other.key === key) === at);
  }

  /** Claude Code may write at any time: what it wrote since must not be overwritten. */
  async function isUnchanged({ name, head, body }: FolderFile): Promise<boolean> {
    const now = parseMemoryFile((await readConfig(join(path, name))) ?? '');
    return now.head === head && now.body === body;
  }

  return {
    path,
    read,
    async write(key, value, file) {
      await mkdir(path, { recursive: true });
      if (file && !(await isUnchanged(file))) return false;
      const name =
        file?.name ?? (await freeName(path, key.startsWith(prefix) ? key.slice(prefix.length) : key));
      const text = file ? withBody(file, value) : newMemoryFile(key, basename(name, '.md'), value);
      await writeAtomically(join(path, name), text, FILE_MODE);
      return true;
    },
    async remove(file) {
      if (!(await isUnchanged(file))) return false;
      await rm(join(path, file.name), { force: true });
      return true;
    },
    async writeIndex(known) {
      const ours = (await read(known)).filter(({ isOurs }) => isOurs).slice(0, MAX_INDEX_LINES);
      const file = join(path, INDEX);
      const before = (await readConfig(file)) ?? '';
      const lines = ours.map(({ name, body }) => `- [${basename(name, '.md')}](${name}) — ${hookOf(body)}`);
      const after =
        lines.length > 0 ? withBlock(before, MARKERS, lines.join('\n')) : withoutBlock(before, MARKERS);
      if (after === before) return;
      if (after.trim() === '') await rm(file, { force: true });
      else await writeAtomically(file, after, FILE_MODE);
    },
  };
}

/** Removes what a killed sync was writing. A file that another sync writes just now is younger. */
async function removeAbandoned(path: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((each) => PARTIAL.test(each))) {
    const about = await lstat(join(path, name)).catch(() => undefined);
    if (about?.isFile() && Date.now() - about.mtimeMs > ABANDONED_AFTER_MS)
      await rm(join(path, name), { force: true });
  }
}

/** The beginning of a text on one line; no text can end the block or the link. */
const hookOf = (body: string) =>
  body.replaceAll(/\s+/g, ' ').replaceAll('-->', '--&gt;').slice(0, MAX_HOOK_CHARS).toWellFormed();

/** A name without folders, so that no key can point out of the memory folder. */
async function freeName(path: string, tail: string): Promise<string> {
  const stem =
    tail
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 80) || 'fact';
  const taken = new Set((await readdir(path)).map((name) => name.toLowerCase()));
  for (let number = 1; ; number++) {
    const name = `${stem}${number === 1 ? '' : `-${number}`}.md`;
    if (!taken.has(name.toLowerCase()) && name.toLowerCase() !== INDEX.toLowerCase()) return name;
  }
}
