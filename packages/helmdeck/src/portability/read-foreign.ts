import { AppError } from '../errors.ts';
import type { ForeignFile, ForeignFormat, Item } from './candidate.ts';
import { FOREIGN_FORMATS, FORMAT_NAMES, formatOf, isOwnExport } from './formats/formats.ts';
import { decodeHead, decodeText, peek } from './reading/text-stream.ts';
import { isZip, zipEntries } from './reading/zip-entries.ts';

/** A file, or an archive of files, whose format is to be found out. */
export interface ForeignInput {
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** `auto`: by content. */
  format: string;
  project?: string;
}

/** An item of a file, or why the rest of the file could not be read. */
export type ReadItem = { file: string; format: string } & ({ item: Item } | { problem: AppError });

/** Reads any format as a stream. A file of an archive that is damaged does not stop the others. */
export async function* readForeign(input: ForeignInput): AsyncGenerator<ReadItem> {
  const { head, bytes } = await peek(input.bytes);
  if (head.length === 0) throw new AppError('invalid_input', 'The file is empty.', { reason: 'bad_type' });
  if (!isZip(head)) {
    yield* readFile({ ...input, bytes }, head, true);
    return;
  }
  let known = 0;
  try {
    for await (const entry of zipEntries(bytes)) {
      const file = await peek(entry.bytes).catch(badChecksum);
      if (file instanceof AppError) {
        known++;
        yield { file: entry.name, format: 'zip', problem: file };
        continue;
      }
      for await (const item of readFile(
        { ...input, name: entry.name, bytes: file.bytes },
        file.head,
        false,
      )) {
        known++;
        yield item;
      }
    }
  } catch (thrown) {
    // What came before the damage is imported, so the report must say how far it got.
    if (known === 0 || !(thrown instanceof AppError)) throw thrown;
    yield { file: input.name, format: 'zip', problem: thrown };
  }
  if (known === 0) throw unknownFormat('No file in the archive has a format that can be imported.');
}

/** The archive goes on after a file with a wrong checksum; after any other damage it cannot be read. */
function badChecksum(thrown: unknown): AppError {
  if (thrown instanceof AppError && thrown.reason === 'bad_checksum') return thrown;
  throw thrown;
}

async function* readFile(
  { name, bytes, format: wanted, project }: ForeignInput,
  head: Uint8Array,
  isAlone: boolean,
): AsyncGenerator<ReadItem> {
  const format = chooseFormat(wanted, name, head, isAlone);
  if (!format) return;
  const file: ForeignFile = { name, text: decodeText(bytes), ...(project === undefined ? {} : { project }) };
  try {
    for await (const item of format.read(file)) yield { file: name, format: format.name, item };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    yield { file: name, format: format.name, problem: thrown };
  }
}

function chooseFormat(
  wanted: string,
  name: string,
  head: Uint8Array,
  isAlone: boolean,
): ForeignFormat | undefined {
  // Pictures and the like are part of many archives.
  if (!isAlone && head.includes(0)) return undefined;
  const text = decodeHead(head);
  const sample = { name, head: text };
  if (wanted !== 'auto') {
    const named = FOREIGN_FORMATS.find((format) => format.name === wanted);
    if (!named) throw unknownFormat(`There is no format with this name.`);
    return isAlone || named.detect(sample) ? named : undefined;
  }
  const found = formatOf(sample);
  if (found || !isAlone) return found;
  if (isOwnExport(text))
    throw new AppError('invalid_input', 'This is an export of Helmdeck.', {
      reason: 'own_export',
      hint: 'Import it as JSON Lines, without "format".',
    });
  throw unknownFormat('The format of this file is not known.');
}

export function unknownFormat(message: string): AppError {
  return new AppError('invalid_input', message, {
    reason: 'unknown_format',
    hint: `Formats: ${FORMAT_NAMES.join(', ')}.`,
  });
}
