import { AppError } from '../../../errors.ts';
import type { Machine } from '../deps.ts';
import type { Client, ClientFile } from './client.ts';
import { readBackups, readConfig } from './formats/config-file.ts';

/** The text of a file before and after the edits; undefined if there is no file. */
export interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
  /** It contains a token. */
  secret: boolean;
}

/** One edit of a file. */
export interface Edit {
  file: ClientFile;
  change: (text: string) => string;
  secret: boolean;
}

/** Applies edits in RAM; several edits of one file give one change. */
export async function planChanges(
  client: Client,
  edits: readonly Edit[],
  machine: Machine,
): Promise<FileChange[]> {
  const changes = new Map<string, FileChange>();
  for (const { file, change, secret } of edits) {
    const path = file.path(machine);
    let planned = changes.get(path);
    if (!planned) {
      const before = await readConfig(path);
      planned = { path, before, after: before, secret: false };
      changes.set(path, planned);
    }
    planned.after = applyEdit(client, path, planned.after ?? '', change);
    planned.secret ||= secret;
  }
  return [...changes.values()];
}

/** A part of a file to remove: the text, and the text from before Helmdeck. */
export interface Removal {
  file: ClientFile;
  remove: (text: string, original: string) => string;
}

/** Applies removals in RAM. A file that is then as it was before Helmdeck becomes that again, byte for byte. */
export async function planRemovals(
  client: Client,
  removals: readonly Removal[],
  machine: Machine,
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const [path, parts] of Map.groupBy(removals, ({ file }) => file.path(machine))) {
    const before = await readConfig(path);
    if (before === undefined) continue;
    const removeFrom = (text: string, original: string) =>
      parts.reduce((left, { remove }) => remove(left, original), text);
    const backups = await readBackups(path);
    const original = backups.find((backup) => hasNothingToRemove(backup, removeFrom));
    const left = applyEdit(client, path, before, (text) =>
      isBlank(text) ? text : removeFrom(text, original ?? ''),
    );
    const after = left === before ? before : restored(left, original, backups);
    changes.push({ path, before, after, secret: false });
  }
  return changes;
}

function hasNothingToRemove(text: string, removeFrom: (text: string, original: string) => string): boolean {
  try {
    return isBlank(text) || removeFrom(text, text) === text;
  } catch {
    return false; // it was malformed when the backup was made
  }
}

/** The bytes from before Helmdeck if only white space and commas differ; no file if there was none. */
function restored(
  left: string,
  original: string | undefined,
  backups: readonly string[],
): string | undefined {
  if (original === undefined && isBlank(left)) return undefined;
  return backups.find((backup) => squeezed(backup) === squeezed(left)) ?? left;
}

const isBlank = (text: string) => squeezed(text) === '';

/** A text without white space and commas outside of quotes, in which edits may differ; an empty object counts as nothing. */
function squeezed(text: string): string {
  const short = text.replaceAll(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|[\s,]+/g, '$1');
  return short === '{}' ? '' : short;
}

/** Applies an edit to the text of a file; a file that cannot be parsed is not changed. */
export function applyEdit(
  client: Client,
  path: string,
  text: string,
  change: (text: string) => string,
): string {
  try {
    return change(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw new AppError(
        'invalid_input',
        `${path} was not changed, because it cannot be parsed: ${thrown.message}.`,
        {
          reason: 'malformed_file',
          hint: `Fix it and run this again; ${client.title} cannot read it either.`,
          cause: thrown,
        },
      );
    if (thrown instanceof TypeError)
      throw new AppError('invalid_input', `${path} was not changed: ${thrown.message}.`, {
        reason: 'malformed_file',
        hint: 'Correct this part of the file, or remove it, and run this again.',
        cause: thrown,
      });
    throw thrown;
  }
}
