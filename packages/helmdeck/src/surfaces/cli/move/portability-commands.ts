import { type Command, Option } from 'commander';
import type { Operations } from '../../../client/generated/rest.ts';
import { FORMAT_NAMES } from '../../../portability/formats/formats.ts';
import { defineCommand, screenOf, withCaller } from '../define-command.ts';
import type { CliDeps, Connection, OnProgress } from '../deps.ts';
import { callForResponse, withConnection } from '../server-request.ts';
import { byteSize, counted } from '../terminal/duration.ts';
import { createNewFile } from '../terminal/files.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';
import { type ImportOptions, importPath } from './import-path.ts';

const NEWLINE = 0x0a;

/** `helmdeck export` and `helmdeck import`. */
export function addPortabilityCommands(program: Command, deps: CliDeps): void {
  withCaller(
    defineCommand(program, 'export [file]', 'export all facts, to a file or to stdout', [
      'export facts.jsonl',
      'export | gzip > facts.jsonl.gz',
      'export memory.md --format markdown',
      'export everything.jsonl --all',
      'export platform.jsonl --space platform',
    ]),
  )
    .option('--space <name>', 'the facts of that space instead of your own')
    .option('--force', 'replace the file')
    .addOption(
      new Option('--format <name>', 'Portable AI Memory or Markdown instead of JSON Lines')
        .choices(['jsonl', 'pam', 'markdown'])
        .default('jsonl'),
    )
    .addOption(
      new Option(
        '--all',
        'everything that is kept: also versions, sources, recalls, run records and the inbox',
      ).conflicts('format'),
    )
    .action((file: string | undefined, options: ExportOptions, command: Command) =>
      exportFacts(deps, screenOf(deps, command), file, options),
    );

  defineCommand(
    program,
    'import <path>',
    'import an export, or what another program remembers (- reads stdin)',
    [
      'import facts.jsonl --dry-run',
      'import facts.jsonl',
      'import ~/.claude/projects/-home-ada-shop/memory --dry-run',
      'import claude-export.zip',
    ],
  )
    .option('--space <name>', 'into that space; what a proposer imports waits in its inbox')
    .option('--dry-run', 'only report what would happen')
    .addOption(new Option('--format <name>', 'if it cannot be told by the content').choices(FORMAT_NAMES))
    .option('--accept', 'what another program remembers: store as facts at once, not into the inbox')
    .option('--project <name>', 'what another program remembers: the project that it is about')
    .action((path: string, options: ImportOptions, command: Command) =>
      importPath(deps, screenOf(deps, command), path, options),
    );
}

interface ExportOptions {
  force?: boolean;
  format?: string;
  all?: boolean;
  caller?: string;
  space?: string;
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
      (lines) => counted(lines, 'line'),
      (onProgress) =>
        withConnection(deps, screen, (connection) => download(connection, options, write, onProgress)),
    );
    await file?.finish();
    if (path === undefined) return;
    await screen.result({ file: path, ...done }, () => {
      const count = options.all
        ? 'everything'
        : done.facts === undefined
          ? 'all facts'
          : counted(done.facts, 'fact');
      return `Exported ${count} (${byteSize(done.bytes)}) to ${path}. The file is not encrypted: keep it safe.`;
    });
  } catch (thrown) {
    await file?.discard();
    throw thrown;
  } finally {
    unregister();
  }
}

type ExportQuery = NonNullable<Operations['GET /api/v1/memory/export']['query']>;

async function download(
  connection: Connection,
  { caller, space, format, all }: ExportOptions,
  write: (chunk: Uint8Array) => Promise<void>,
  onProgress: OnProgress,
): Promise<{ facts?: number; bytes: number }> {
  const query: ExportQuery = {
    caller,
    space,
    format: all || format === 'jsonl' ? undefined : (format as ExportQuery['format']),
    all: all ? '1' : undefined,
  };
  const response = await callForResponse(connection, 'GET /api/v1/memory/export', { query });
  let lines = 0;
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    await write(chunk);
    bytes += chunk.length;
    for (const byte of chunk) if (byte === NEWLINE) lines++;
    onProgress(lines);
  }
  // Only in JSON Lines each line is a fact.
  return format === 'jsonl' && !all ? { facts: lines, bytes } : { bytes };
}
