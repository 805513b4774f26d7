import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { ERRORS } from '../../../errors.ts';
import type { LineReport } from '../../../memory/import-export.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { counted } from '../terminal/duration.ts';
import { CommandExit } from '../terminal/failure.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** The size of one import request: large enough for group commits, small enough for a report of every line. */
const BATCH_LINES = 1_000;
const BATCH_BYTES = 4_194_304;
const MAX_SHOWN_PROBLEMS = 20;
const MAX_SHOWN_ITEMS = 20;
const MAX_SHOWN_CHARS = 100;

/** A line of the server's report. */
interface ReportedLine extends LineReport {
  file?: string;
  /** In a dry run of another program's memory, like the next two. */
  value?: string;
  current?: string;
  conflicts?: { key: string; mine: string; theirs: string }[];
}

export interface ImportAnswer {
  dry_run: boolean;
  stored: number;
  /** Of those; absent from an older server. */
  replaced?: number;
  /** Absent from an older server. */
  proposed?: number;
  unchanged: number;
  skipped: number;
  failed: number;
  lines: ReportedLine[];
}
interface ImportLinesOptions {
  bytes: AsyncIterable<Uint8Array>;
  total: number | undefined;
  dryRun: boolean;
  space: string | undefined;
}

/** Imports an export of Helmdeck in requests of many lines, so that each line of the file is reported. */
export async function importFacts(
  deps: CliDeps,
  screen: Screen,
  { bytes, total, ...options }: ImportLinesOptions,
): Promise<void> {
  const input = Readable.from(bytes);
  const report = emptyReport(options.dryRun);
  await withProgress(
    screen,
    'Importing',
    () => counted(report.lines.length, 'line'),
    (onProgress) =>
      withConnection(deps, screen, async (connection) => {
        let bytes = 0;
        for await (const batch of batches(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))) {
          add(report, await upload(connection, batch.lines, options), batch.firstLine);
          bytes += batch.bytes;
          onProgress(bytes, total);
        }
      }),
  );
  await finish(screen, report);
}

/** Shows the report. The exit code is that of the first failure. */
export async function finish(screen: Screen, report: ImportAnswer): Promise<void> {
  await screen.result(report, () => describe(report));
  const failure = report.lines.find((line) => line.status === 'failed');
  if (failure) throw new CommandExit(ERRORS[failure.error?.error ?? 'invalid_input'].exit);
}

export const emptyReport = (dryRun: boolean): ImportAnswer => ({
  dry_run: dryRun,
  stored: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  lines: [],
});

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

function upload(
  connection: Connection,
  lines: string[],
  { dryRun, space }: Pick<ImportLinesOptions, 'dryRun' | 'space'>,
): Promise<ImportAnswer> {
  return callServer(connection, 'POST /api/v1/memory/import', {
    query: { dry_run: dryRun ? '1' : undefined, space },
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
}

export function add(report: ImportAnswer, answer: ImportAnswer, firstLine: number): void {
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
  const summary = `${verb} ${report.stored}${replacing}${waiting}, unchanged ${report.unchanged}, skipped ${report.skipped}${report.skipped > 0 ? whySkipped(report) : ''}, failed ${report.failed}.`;
  const problems = report.lines.filter((line) => line.status === 'failed');
  const lines = problems
    .slice(0, MAX_SHOWN_PROBLEMS)
    .map((line) => `  ${placeOf(line)}: ${printable(line.error?.message ?? 'refused')}`);
  if (problems.length > MAX_SHOWN_PROBLEMS)
    lines.push(`  … and ${problems.length - MAX_SHOWN_PROBLEMS} more; --json lists all.`);
  return [summary, ...shownItems(report), ...lines].join('\n');
}

/** The reasons of skipped lines, most frequent first. */
function whySkipped({ lines }: ImportAnswer): string {
  const counts = new Map<string, number>();
  for (const { status, reason } of lines)
    if (status === 'skipped' && reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason]) => reason.replaceAll('_', ' '));
  return ` (${reasons.length === 0 ? 'expired' : reasons.slice(0, 3).map(printable).join(', ')})`;
}

/** What a dry run found in another program's memory. */
function shownItems({ lines }: ImportAnswer): string[] {
  const items = lines.filter(({ value, status }) => value !== undefined && status !== 'skipped');
  const shown = items
    .slice(0, MAX_SHOWN_ITEMS)
    .flatMap((item) => [
      `  ${printable(item.key ?? '')}: ${brief(item.value ?? '')}`,
      ...remarksOn(item).map((remark) => `    ${remark}`),
    ]);
  if (items.length > MAX_SHOWN_ITEMS)
    shown.push(`  … and ${items.length - MAX_SHOWN_ITEMS} more; --json lists them.`);
  return shown;
}

const brief = (text: string) => printable(text.replaceAll(/\s+/g, ' ').slice(0, MAX_SHOWN_CHARS));

/** What an item would meet: the inbox, the screen, and facts that say something else. */
function remarksOn({ status, reason, current, conflicts = [] }: ReportedLine): string[] {
  return [
    ...(status === 'unchanged'
      ? [reason === 'waiting' ? 'waits in the inbox already' : 'known already']
      : []),
    ...(reason?.startsWith('screen:') ? ['would be quarantined: it reads like an instruction'] : []),
    ...(status !== 'unchanged' && current !== undefined ? [`now: ${brief(current)}`] : []),
    ...conflicts.map(
      ({ key, mine, theirs }) =>
        `conflicts with ${printable(key)}: ${brief(theirs)} (this one: ${brief(mine)})`,
    ),
  ];
}

const placeOf = ({ file, line }: ReportedLine) =>
  file ? `${printable(file)}, item ${line}` : `line ${line}`;
