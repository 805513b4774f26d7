import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { ERRORS } from '../../../errors.ts';
import type { LineReport } from '../../../memory/import-export.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps, Connection, OnProgress } from '../deps.ts';
import { request, requestJson, withConnection, withQuery } from '../server-request.ts';
import { byteSize, counted } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import { createNewFile } from '../terminal/files.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

const NEWLINE = 0x0a;
/** The size of one import request: large enough for group commits, small enough for a report of every line. */
const BATCH_LINES = 1_000;
const BATCH_BYTES = 4_194_304;
const MAX_SHOWN_PROBLEMS = 20;

/** `helmdeck export` and `helmdeck import`. */
export function addPortabilityCommands(program: Command, deps: CliDeps): void {
  withCaller(
    defineCommand(program, 'export [file]', 'export all facts as JSON Lines, to a file or to stdout', [
      'export facts.jsonl',
      'export | gzip > facts.jsonl.gz',
    ]),
  )
    .option('--force', 'replace the file')
    .action((file: string | undefined, options: ExportOptions, command: Command) =>
      exportFacts(deps, screenOf(deps, command), file, options),
    );

  defineCommand(program, 'import <file>', 'import an export (- reads stdin)', [
    'import facts.jsonl --dry-run',
    'import facts.jsonl',
  ])
    .option('--dry-run', 'only report what would happen')
    .action((file: string, options: { dryRun?: boolean }, command: Command) =>
      importFacts(deps, screenOf(deps, command), file, options.dryRun === true),
    );
}

interface ExportOptions {
  force?: boolean;
  caller?: string;
}

async function exportFacts(
  deps: CliDeps,
  screen: Screen,
  path: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const file = path === undefined ? undefined : await createNewFile(path, options.force === true);
  const write = (chunk: Uint8Array) => (file ? file.write(chunk) : screen.write(chunk));
  const unregister = deps.onInterrupt(() => file?.discard());
  try {
    const done = await withProgress(
      screen,
      'Exporting',
      (facts) => counted(facts, 'fact'),
      (onProgress) =>
        withConnection(deps, screen, (connection) => download(connection, options.caller, write, onProgress)),
    );
    await file?.finish();
    if (path === undefined) return;
    await screen.result({ file: path, ...done }, () => {
      const count = counted(done.facts, 'fact');
      return `Exported ${count} (${byteSize(done.bytes)}) to ${path}. The file is not encrypted: keep it safe.`;
    });
  } catch (thrown) {
    await file?.discard();
    throw thrown;
  } finally {
    unregister();
  }
}

async function download(
  connection: Connection,
  caller: string | undefined,
  write: (chunk: Uint8Array) => Promise<void>,
  onProgress: OnProgress,
): Promise<{ facts: number; bytes: number }> {
  const response = await request(connection, withQuery('/api/v1/memory/export', { caller }));
  let facts = 0;
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    await write(chunk);
    bytes += chunk.length;
    for (const byte of chunk) if (byte === NEWLINE) facts++;
    onProgress(facts);
  }
  return { facts, bytes };
}

interface ImportAnswer {
  dry_run: boolean;
  stored: number;
  /** Of those; absent from an older server. */
  replaced?: number;
  /** Absent from an older server. */
  proposed?: number;
  unchanged: number;
  skipped: number;
  failed: number;
  lines: LineReport[];
}

async function importFacts(deps: CliDeps, screen: Screen, path: string, dryRun: boolean): Promise<void> {
  const total = path === '-' ? undefined : (await stat(path)).size;
  const input = path === '-' ? deps.terminal.in : createReadStream(path);
  const report: ImportAnswer = { dry_run: dryRun, stored: 0, unchanged: 0, skipped: 0, failed: 0, lines: [] };
  await withProgress(
    screen,
    'Importing',
    () => counted(report.lines.length, 'line'),
    (onProgress) =>
      withConnection(deps, screen, async (connection) => {
        let bytes = 0;
        for await (const batch of batches(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))) {
          add(report, await upload(connection, batch.lines, dryRun), batch.firstLine);
          bytes += batch.bytes;
          onProgress(bytes, total);
        }
      }),
  );
  await screen.result(report, () => describe(report));
  const failure = report.lines.find((line) => line.status === 'failed');
  if (failure) throw new CommandExit(ERRORS[failure.error?.error ?? 'invalid_input'].exit);
}

interface Batch {
  /** Number of the first line in the file, from 1. */
  firstLine: number;
  lines: string[];
  bytes: number;
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<Batch> {
  let batch: Batch = { firstLine: 1, lines: [], bytes: 0 };
  for await (const line of lines) {
    batch.lines.push(line);
    batch.bytes += Buffer.byteLength(line) + 1;
    if (batch.lines.length < BATCH_LINES && batch.bytes < BATCH_BYTES) continue;
    yield batch;
    batch = { firstLine: batch.firstLine + batch.lines.length, lines: [], bytes: 0 };
  }
  if (batch.lines.length > 0) yield batch;
}

function upload(connection: Connection, lines: string[], dryRun: boolean): Promise<ImportAnswer> {
  return requestJson<ImportAnswer>(
    connection,
    withQuery('/api/v1/memory/import', { dry_run: dryRun ? 1 : undefined }),
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    },
  );
}

function add(report: ImportAnswer, answer: ImportAnswer, firstLine: number): void {
  for (const status of ['stored', 'unchanged', 'skipped', 'failed'] as const)
    report[status] += answer[status];
  report.proposed = (report.proposed ?? 0) + (answer.proposed ?? 0);
  report.replaced = (report.replaced ?? 0) + (answer.replaced ?? 0);
  for (const line of answer.lines) report.lines.push({ ...line, line: line.line + firstLine - 1 });
}

function describe(report: ImportAnswer): string {
  const verb = report.dry_run ? 'Would store' : 'Stored';
  const replacing = report.replaced ? ` (${report.replaced} over an existing fact)` : '';
  const waiting = report.proposed ? `, ${report.proposed} to the inbox` : '';
  const summary = `${verb} ${report.stored}${replacing}${waiting}, unchanged ${report.unchanged}, skipped ${report.skipped} (expired), failed ${report.failed}.`;
  const problems = report.lines.filter((line) => line.status === 'failed');
  const lines = problems
    .slice(0, MAX_SHOWN_PROBLEMS)
    .map((line) => `  line ${line.line}: ${printable(line.error?.message ?? 'refused')}`);
  if (problems.length > MAX_SHOWN_PROBLEMS)
    lines.push(`  … and ${problems.length - MAX_SHOWN_PROBLEMS} more; --json lists all.`);
  return [summary, ...lines].join('\n');
}
