import { mkdirSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Machine } from '../deps.ts';
import { projectOf } from '../hook/project-name.ts';
import { withConnection } from '../server-request.ts';
import { counted } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';
import { claudeMemoryFolder, projectPrefix, projectRoot } from './claude-code-folder.ts';
import { openMemoryFolder } from './memory-folder.ts';
import { type SyncAction, syncFolder } from './sync-folder.ts';
import { type MarkdownReport, removeMarkdown, syncMarkdown } from './sync-markdown.ts';
import { stateFile } from './sync-state.ts';

/** How often `--watch` looks at the server. */
const POLL_MS = 5_000;
/** Programs write several files at once. */
const SETTLE_MS = 300;

interface FolderOptions {
  folder?: string;
  project?: string;
  prefix?: string;
  watch?: boolean;
}

interface MarkdownOptions {
  prefix?: string[];
  watch?: boolean;
  remove?: boolean;
}

/** `helmdeck sync claude-code` and `helmdeck sync markdown`. */
export function addSyncCommands(program: Command, deps: CliDeps): void {
  const sync = program.command('sync').description('keep facts and files of other programs the same');
  defineCommand(
    sync,
    'claude-code',
    "sync this project's facts with Claude Code's memory folder, both ways",
    ['sync claude-code', 'sync claude-code --watch'],
  )
    .option('--folder <path>', "the memory folder (default: this project's)")
    .option('--project <name>', 'the project whose facts to sync (default: as "helmdeck project" prints it)')
    .option('--prefix <prefix>', "sync facts with keys below it instead of a project's", asPrefix)
    .option('--watch', 'continue until Ctrl-C')
    .action((options: FolderOptions, command: Command) =>
      syncClaudeCode(deps, screenOf(deps, command), options),
    );
  defineCommand(
    sync,
    'markdown <file>',
    'keep a marked block of facts in CLAUDE.md, AGENTS.md or GEMINI.md',
    [
      'sync markdown CLAUDE.md',
      'sync markdown AGENTS.md --prefix team/ --watch',
      'sync markdown CLAUDE.md --remove',
    ],
  )
    .option(
      '--prefix <prefix>',
      "facts with keys below it instead of this project's; may be repeated",
      collectPrefix,
    )
    .option('--watch', 'continue until Ctrl-C')
    .option('--remove', 'remove the block')
    .action((file: string, options: MarkdownOptions, command: Command) =>
      markdown(deps, screenOf(deps, command), file, options),
    );
}

function asPrefix(text: string): string {
  if (!text.endsWith('/')) throw new InvalidArgumentError('It must end with a slash.');
  return text;
}

const collectPrefix = (text: string, earlier: string[] = []) => [...earlier, asPrefix(text)];

async function syncClaudeCode(deps: CliDeps, screen: Screen, options: FolderOptions): Promise<void> {
  const { machine } = deps;
  const root = projectRoot(machine.workDir);
  const prefix = options.prefix ?? projectPrefix(root);
  const project = options.prefix ? undefined : (options.project ?? projectName(machine));
  const path = options.folder
    ? resolve(machine.workDir, options.folder)
    : await claudeMemoryFolder(machine, root);
  if (machine.stateDir === undefined)
    throw new AppError('invalid_input', 'There is no folder for the state of sync.', {
      hint: 'Set HOME or XDG_STATE_HOME.',
    });
  const request = {
    folder: openMemoryFolder(path, prefix),
    selection: { project, prefixes: [prefix] },
    stateFile: stateFile(machine.stateDir, path, project ?? prefix),
  };
  const heading = `${printable(path)} and the facts ${project === undefined ? `below ${printable(prefix)}` : `of ${printable(project)}`}`;
  await withConnection(deps, screen, async (connection) => {
    const actions = await syncFolder(connection, request);
    await screen.result({ folder: path, project, prefix, actions }, () => actionLines(heading, actions));
    if (!options.watch) return;
    mkdirSync(path, { recursive: true });
    await repeat(deps, path, async () => {
      const more = await syncFolder(connection, request);
      if (more.length > 0) await screen.result({ actions: more }, () => more.map(actionLine).join('\n'));
    });
  });
}

const projectName = ({ workDir, homeDir }: Machine) => projectOf(workDir, homeDir)?.name;

function actionLines(heading: string, actions: readonly SyncAction[]): string {
  if (actions.length === 0) return `${heading} are the same.`;
  return [`${heading}:`, ...actions.map(actionLine)].join('\n');
}

function actionLine({ key, did, why }: SyncAction): string {
  return `  ${did.padEnd(8)}  ${printable(key)}${why === undefined ? '' : `  (${printable(why)})`}`;
}

async function markdown(
  deps: CliDeps,
  screen: Screen,
  file: string,
  options: MarkdownOptions,
): Promise<void> {
  const path = resolve(deps.machine.workDir, file);
  if (options.remove) {
    const report = await removeMarkdown(path);
    return screen.result(
      report,
      () => `${printable(path)} ${report.changed ? 'has no block any more.' : 'has no block.'}`,
    );
  }
  const project = projectName(deps.machine);
  const selection = options.prefix
    ? { prefixes: options.prefix }
    : { project, prefixes: [projectPrefix(projectRoot(deps.machine.workDir))] };
  await withConnection(deps, screen, async (connection) => {
    const report = await syncMarkdown(connection, path, selection, project);
    await screen.result(report, () => markdownLine(report));
    if (!options.watch) return;
    await repeat(deps, dirname(path), async () => {
      const next = await syncMarkdown(connection, path, selection, project);
      if (next.changed) await screen.result(next, () => markdownLine(next));
    });
  });
}

function markdownLine({ file, changed, facts, left_out }: MarkdownReport): string {
  const rest = left_out > 0 ? `; ${left_out} more did not fit` : '';
  return `${printable(file)} ${changed ? 'now has' : 'has'} ${counted(facts, 'fact')}${rest}.`;
}

/** Runs `work` when the folder changes and every few seconds, until Ctrl-C. A failed run is repeated. */
async function repeat(deps: CliDeps, folder: string, work: () => Promise<void>): Promise<void> {
  let wake = () => {};
  let isEnded = false;
  const watcher = watch(folder, () => setTimeout(() => wake(), SETTLE_MS).unref());
  watcher.on('error', () => {}); // the folder was deleted: the timer is left
  const done = deps.onInterrupt(() => {
    isEnded = true;
    wake();
  });
  try {
    while (!isEnded) {
      await new Promise<void>((next) => {
        const timer = setTimeout(next, POLL_MS);
        wake = () => {
          clearTimeout(timer);
          next();
        };
      });
      if (!isEnded) await work().catch(() => {}); // the server is away, or a file is being written
    }
  } finally {
    watcher.close();
    done();
  }
}
