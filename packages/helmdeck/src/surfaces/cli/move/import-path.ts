import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Operations } from '../../../client/generated/rest.ts';
import { AppError } from '../../../errors.ts';
import { formatOf, isOwnExport } from '../../../portability/formats/formats.ts';
import { unknownFormat } from '../../../portability/read-foreign.ts';
import { decodeHead, peek } from '../../../portability/reading/text-stream.ts';
import { isZip } from '../../../portability/reading/zip-entries.ts';
import type { CliDeps, Connection, OnProgress } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { byteSize, counted } from '../terminal/duration.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { add, emptyReport, finish, type ImportAnswer, importFacts } from './import-lines.ts';

export interface ImportOptions {
  dryRun?: boolean;
  format?: string;
  accept?: boolean;
  project?: string;
  space?: string;
}

/** Files of a folder that may hold memories. */
const IMPORTED = /\.(?:md|json|jsonl|af|zip)$/i;
const PASSED_OVER = new Set(['node_modules', '.git', '.obsidian', '.trash']);
const MAX_DEPTH = 12;
/** As much of a path as tells formats and projects apart. */
const NAME_SEGMENTS = 5;

interface ImportedFile {
  path: string;
  name: string;
  size: number | undefined;
}

/** Imports a file, a folder or stdin. Which program wrote it is told by the content. */
export async function importPath(
  deps: CliDeps,
  screen: Screen,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const info = path === '-' ? undefined : await stat(path);
  if (info?.isDirectory()) return importFolder(deps, screen, path, options);
  const { head, bytes } = await peek(path === '-' ? deps.terminal.in : createReadStream(path));
  const name = path === '-' ? '' : nameOf(path);
  const isOwn = options.format === 'helmdeck' || (options.format === undefined && !isForeign(name, head));
  const { dryRun = false, space } = options;
  if (isOwn) return importFacts(deps, screen, { bytes, total: info?.size, dryRun, space });
  await importFiles(deps, screen, [{ path, name, size: info?.size }], options, bytes);
}

/** JSON that no other program writes is imported as an export of Helmdeck, which says for each line what is wrong with it. */
function isForeign(name: string, head: Uint8Array): boolean {
  if (isZip(head)) return true;
  const text = decodeHead(head);
  if (isOwnExport(text)) return false;
  if (formatOf({ name, head: text })) return true;
  if (/^\s*[^\s{]/.test(text))
    throw unknownFormat('The format of this file is not known; name it with --format.');
  return false;
}

async function importFolder(deps: CliDeps, screen: Screen, folder: string, options: ImportOptions) {
  const files: ImportedFile[] = [];
  await collect(resolve(folder), files, 0);
  if (files.length === 0)
    throw new AppError('invalid_input', 'The folder has no Markdown, JSON, .af or zip file.', {
      reason: 'usage',
    });
  await importFiles(deps, screen, files, options);
}

/** Files in the order of their names. Symbolic links are not followed: they could lead out of the folder. */
async function collect(folder: string, files: ImportedFile[], depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < MAX_DEPTH && !PASSED_OVER.has(entry.name))
      await collect(path, files, depth + 1);
    else if (entry.isFile() && IMPORTED.test(entry.name))
      files.push({ path, name: nameOf(path), size: (await stat(path)).size });
  }
}

const nameOf = (path: string) => resolve(path).split(sep).slice(-NAME_SEGMENTS).join('/');

async function importFiles(
  deps: CliDeps,
  screen: Screen,
  files: readonly ImportedFile[],
  options: ImportOptions,
  onlyBytes?: AsyncIterable<Uint8Array>,
): Promise<void> {
  const isAlone = files.length === 1;
  const report = emptyReport(options.dryRun === true);
  const total = files.reduce((sum, { size = 0 }) => sum + size, 0);
  let passedOver = 0;
  await withProgress(
    screen,
    'Importing',
    // A file is reported when it was read as a whole.
    (bytes) =>
      [byteSize(bytes), ...(report.lines.length > 0 ? [counted(report.lines.length, 'item')] : [])].join(
        ', ',
      ),
    (onProgress) =>
      withConnection(deps, screen, async (connection) => {
        let sent = 0;
        for (const file of files) {
          const bytes = onlyBytes ?? createReadStream(file.path);
          const onBytes = (count: number) => onProgress(sent + count, total || undefined);
          const answer = await uploadFile(connection, file, bytes, options, isAlone, onBytes);
          sent += file.size ?? 0;
          if (answer) add(report, answer, 1 + report.lines.length);
          else passedOver++;
        }
      }),
  );
  if (passedOver > 0) screen.note(`${counted(passedOver, 'file')} of no known format passed over.`);
  await finish(screen, report);
}

type ImportQuery = NonNullable<Operations['POST /api/v1/memory/import']['query']>;

/** Sends one file as it is read; undefined for a file of a folder that has no known format. */
async function uploadFile(
  connection: Connection,
  { name }: ImportedFile,
  bytes: AsyncIterable<Uint8Array>,
  { format = 'auto', dryRun, accept, project, space }: ImportOptions,
  isAlone: boolean,
  onBytes: OnProgress,
): Promise<ImportAnswer | undefined> {
  const query: ImportQuery = {
    format: format as ImportQuery['format'], // the server checks it
    name,
    project,
    space,
    dry_run: dryRun ? '1' : undefined,
    accept: accept ? '1' : undefined,
  };
  let sent = 0;
  const body = ReadableStream.from(
    (async function* () {
      for await (const chunk of bytes) {
        yield chunk;
        sent += chunk.length;
        onBytes(sent);
      }
    })(),
  );
  try {
    const headers = { 'content-type': 'application/octet-stream' };
    return await callServer(connection, 'POST /api/v1/memory/import', { query, headers, body });
  } catch (thrown) {
    const isPassedOver =
      !isAlone &&
      thrown instanceof AppError &&
      ['unknown_format', 'own_export'].includes(thrown.reason ?? '');
    if (isPassedOver) return undefined;
    throw thrown;
  }
}
