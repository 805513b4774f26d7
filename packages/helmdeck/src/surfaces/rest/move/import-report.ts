import { AppError } from '../../../errors.ts';
import type { LineReport } from '../../../memory/import-export.ts';

/** However long an import is, its report must fit in the memory of the server and the client. */
const MAX_REPORTED = 1_000;
const MAX_FAILED = 10_000;

type Counts = Record<LineReport['status'], number>;

/** Counts every line and lists the first of each status, failures before all others because they need action. */
export function importReport<Line extends LineReport>() {
  const counts: Counts = { stored: 0, proposed: 0, unchanged: 0, skipped: 0, failed: 0 };
  const failed: Line[] = [];
  const other: Line[] = [];
  const stored: Line[] = [];
  let replaced = 0;
  return {
    /** The report as it is answered. */
    answer(dryRun: boolean) {
      const { stored: storedCount, ...others } = counts;
      return { dry_run: dryRun, stored: storedCount, replaced, ...others, ...this.lines() };
    },
    /** An import whose lines keep failing is of something else. */
    assertSomeSucceed(dryRun: boolean) {
      if (counts.failed >= MAX_FAILED) throw tooManyFailures(counts, dryRun);
    },
    add(line: Line) {
      counts[line.status]++;
      if (line.replaces && line.status === 'stored') replaced++;
      const list = line.status === 'failed' ? failed : line.status === 'stored' ? stored : other;
      if (list.length < MAX_REPORTED) list.push(line);
    },
    lines() {
      const all = [...failed, ...other.slice(0, MAX_REPORTED - failed.length), ...stored];
      const omitted =
        counts.stored + counts.proposed + counts.unchanged + counts.skipped + counts.failed - all.length;
      const lines = all.sort((a, b) => a.line - b.line);
      return omitted === 0 ? { lines } : { lines, lines_omitted: omitted };
    },
  };
}

function tooManyFailures({ failed, stored }: Counts, dryRun: boolean): AppError {
  const outcome = dryRun ? `${stored} would have been stored` : `${stored} were stored`;
  return new AppError(
    'invalid_input',
    `The import stopped because ${failed} lines failed; before that ${outcome}.`,
    {
      reason: 'too_many_failures',
      hint: 'Check that the file is an export; "dry_run=1" shows what is wrong.',
    },
  );
}
