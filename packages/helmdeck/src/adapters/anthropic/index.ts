import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import { type Fact, type Helmdeck, HelmdeckError } from '../../client/index.ts';
import { writeFact } from '../write-fact.ts';
import { factOfText, textOfFact } from './file-text.ts';
import { directoriesAbove, isRoot, keyOfPath, listingOf } from './memory-paths.ts';

// The memory tool `memory_20250818`. Models are trained on its texts, so they are those of the SDK's own implementation.

export interface MemoryToolOptions {
  /** How long a file is kept after its last edit; the server's default is 90 days. */
  ttlSeconds?: number;
}

const CATEGORY = 'memory_files';
const MAX_ATTEMPTS = 5;

/** Handlers for `betaMemoryTool` of the Anthropic SDK. Each file is a fact, each edit a compare-and-set. */
export function memoryToolHandlers(helmdeck: Helmdeck, options: MemoryToolOptions = {}): MemoryToolHandlers {
  const { facts } = helmdeck;
  const filing = { category: CATEGORY, ttl_seconds: options.ttlSeconds };

  /** The files below a directory. */
  async function filesBelow(key: string): Promise<Fact[]> {
    const files: Fact[] = [];
    for await (const fact of facts.list({ prefix: `${key}/` })) files.push(fact);
    return files;
  }

  const isDirectory = async (key: string) =>
    isRoot(key) || (await facts.page({ prefix: `${key}/`, limit: 1 })).facts.length > 0;

  async function fileAt(path: string): Promise<Fact> {
    const key = keyOfPath(path);
    const fact = await facts.get(key);
    if (fact) return fact;
    if (await isDirectory(key)) throw new Error(`The path ${path} is not a file.`);
    throw new Error(missing(path));
  }

  /** Throws unless a file can be made at this path. */
  async function assertFree(key: string, taken: string): Promise<void> {
    const above = await Promise.all(directoriesAbove(key).map((directory) => facts.get(directory)));
    const file = above.find((fact) => fact !== undefined);
    if (file) throw new Error(`The path /${file.key} is not a directory.`);
    if ((await facts.get(key)) || (await isDirectory(key))) throw new Error(taken);
  }

  /** Replaces the text of a file, again from its new text if another client edited it in between. */
  async function edit<T>(path: string, change: (text: string) => { text: string; result: T }): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { key, version, ...file } = await fileAt(path);
      const { text, result } = change(textOfFact(file));
      try {
        await writeFact(helmdeck, { key, ...factOfText(text), ...filing, if_version: version });
        return result;
      } catch (thrown) {
        if (attempt === MAX_ATTEMPTS || !isConflict(thrown)) throw thrown;
      }
    }
  }

  /** Moves a file with its history. */
  const move = ({ key, value, tags }: Fact, to: string) =>
    writeFact(helmdeck, { key: to, value, tags, ...filing, if_version: 0, replaces: [key] });

  return {
    async view({ path, view_range: range }) {
      const key = keyOfPath(path);
      const file = isRoot(key) ? undefined : await facts.get(key);
      if (file)
        return `Here's the content of ${path} with line numbers:\n${numbered(textOfFact(file), range)}`;
      const files = await filesBelow(key);
      if (files.length === 0 && !isRoot(key)) throw new Error(missing(path));
      const listed = files.map((fact) => ({
        path: fact.key.slice(key.length + 1),
        bytes: new TextEncoder().encode(textOfFact(fact)).length,
      }));
      const header = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
      return [header, ...listingOf(path.replace(/\/+$/, ''), listed)].join('\n');
    },

    async create({ path, file_text: text }) {
      const key = keyOfPath(path);
      const taken = `File ${path} already exists`;
      await assertFree(key, taken);
      try {
        await writeFact(helmdeck, { key, ...factOfText(text), ...filing, if_version: 0 });
      } catch (thrown) {
        throw isConflict(thrown) ? new Error(taken) : thrown;
      }
      return `File created successfully at: ${path}`;
    },

    str_replace({ path, old_str: old, new_str: replacement }) {
      return edit(path, (before) => {
        const lines = linesWith(before, old);
        if (lines.length === 0)
          throw new Error(
            `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
          );
        if (lines.length > 1)
          throw new Error(
            `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${[...new Set(lines)].join(', ')}. Please ensure it is unique`,
          );
        const text = before.replace(old, () => replacement);
        const snippet = numbered(text, [Math.max(1, lines[0]! - 2), lines[0]! + 2]);
        return {
          text,
          result: `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`,
        };
      });
    },

    insert({ path, insert_line: line, insert_text: inserted }) {
      return edit(path, (before) => {
        const lines = before.split('\n');
        if (line < 0 || line > lines.length)
          throw new Error(
            `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
          );
        lines.splice(line, 0, inserted.replace(/\n$/, ''));
        return { text: lines.join('\n'), result: `The file ${path} has been edited.` };
      });
    },

    async delete({ path }) {
      const key = keyOfPath(path);
      if (isRoot(key)) throw new Error('Cannot delete the /memories directory itself');
      const { deleted: file } = await facts.forget(key);
      const { deleted: below } = await helmdeck.forget(`prefix:${key}/`);
      if (file + below === 0) throw new Error(`The path ${path} does not exist`);
      return `Successfully deleted ${path}`;
    },

    async rename({ old_path: from, new_path: to }) {
      const [oldKey, newKey] = [keyOfPath(from), keyOfPath(to)];
      if (isRoot(oldKey)) throw new Error('Cannot rename the /memories directory itself');
      if (newKey.startsWith(`${oldKey}/`)) throw new Error(`${from} cannot be moved into itself`);
      await assertFree(newKey, `The destination ${to} already exists`);
      const file = await facts.get(oldKey);
      const files = file ? [file] : await filesBelow(oldKey);
      if (files.length === 0) throw new Error(`The path ${from} does not exist`);
      for (const each of files) await move(each, newKey + each.key.slice(oldKey.length));
      return `Successfully renamed ${from} to ${to}`;
    },
  };
}

const missing = (path: string) => `The path ${path} does not exist. Please provide a valid path.`;

const isConflict = (thrown: unknown) =>
  thrown instanceof HelmdeckError && thrown.code === 'precondition_failed';

const LINE_NUMBER_WIDTH = 6;

/** The lines of a text with their numbers, all or those in the range, of which -1 is the end. */
function numbered(text: string, range?: readonly number[]): string {
  const lines = text.split('\n');
  const [first, last] = range?.length === 2 ? range : [1, -1];
  const start = Math.max(1, first!) - 1;
  return lines
    .slice(start, last === -1 ? lines.length : last)
    .map((line, index) => `${String(start + index + 1).padStart(LINE_NUMBER_WIDTH)}\t${line}`)
    .join('\n');
}

/** The number of the line in which each occurrence begins; an empty text occurs once in each line. */
function linesWith(text: string, part: string): number[] {
  if (part === '') return text.split('\n').map((_, index) => index + 1);
  const lines: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    lines.push(text.slice(0, at).split('\n').length);
  return lines;
}
