import { AppError } from '../../../errors.ts';
import type { Machine } from '../deps.ts';
import type { Client, ClientFile } from './client.ts';
import { readConfig } from './formats/config-file.ts';

/** A file before and after. */
export interface FileChange {
  path: string;
  before: string;
  after: string;
  /** It holds a token. */
  secret: boolean;
}

/** What one part of the work makes of a file's text. */
export interface Edit {
  file: ClientFile;
  change: (text: string) => string;
  secret: boolean;
}

/** What edits come to, file by file; several of one file are one change of it. */
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
    planned.after = edited(client, path, planned.after, change);
    planned.secret ||= secret;
  }
  return [...changes.values()];
}

/** A file that is not what it should be is left alone: whoever wrote it knows better what was meant. */
export function edited(client: Client, path: string, text: string, change: (text: string) => string): string {
  try {
    return change(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    throw new AppError(
      'invalid_input',
      `${path} was left alone, because it cannot be read: ${thrown.message}.`,
      {
        reason: 'malformed_file',
        hint: `Mend it and run this again; ${client.title} cannot read it either.`,
        cause: thrown,
      },
    );
  }
}
