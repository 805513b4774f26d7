import { AppError } from '../../../errors.ts';
import type { Machine } from '../deps.ts';
import type { Client, ClientFile } from './client.ts';
import { readConfig } from './formats/config-file.ts';

/** The text of a file before and after the edits. */
export interface FileChange {
  path: string;
  before: string;
  after: string;
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
    planned.after = applyEdit(client, path, planned.after, change);
    planned.secret ||= secret;
  }
  return [...changes.values()];
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
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    throw new AppError(
      'invalid_input',
      `${path} was not changed, because it cannot be parsed: ${thrown.message}.`,
      {
        reason: 'malformed_file',
        hint: `Fix it and run this again; ${client.title} cannot read it either.`,
        cause: thrown,
      },
    );
  }
}
