import { Command } from 'commander';
import { addBackupCommands } from './commands/backup-commands.ts';
import { addContextCommand } from './commands/context-command.ts';
import { addEditCommands } from './commands/edit-commands.ts';
import { addFactCommands } from './commands/fact-commands.ts';
import { addForgetCommand } from './commands/forget-command.ts';
import { addHelpCommand } from './commands/help-command.ts';
import { addJobCommands } from './commands/job-commands.ts';
import { addLoginCommands } from './commands/login-commands.ts';
import { addMcpCommand } from './commands/mcp-command.ts';
import { addMigrateCommand } from './commands/migrate-command.ts';
import { addMaintenanceCommands, addServerCommands } from './commands/operate-commands.ts';
import { addAuditCommands, addCallersCommand, addOverviewCommands } from './commands/overview-commands.ts';
import { addPackCommands } from './commands/pack-commands.ts';
import { addSpaceCommands } from './commands/people/space-commands.ts';
import { addUserCommands } from './commands/people/user-commands.ts';
import { addPipelineCommands } from './commands/pipeline-commands.ts';
import { addRecallCommand } from './commands/recall-command.ts';
import { addReceiptCommand } from './commands/receipt-command.ts';
import { addReviewCommands } from './commands/review/review-commands.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addVaultCommands } from './commands/vault-commands.ts';
import { addCompletionCommand, addManCommand } from './completion/completion-command.ts';
import { addConnectCommand } from './connect/connect-command.ts';
import type { CliDeps } from './deps.ts';
import { addHookCommand } from './hook/hook-command.ts';
import { addProjectCommand } from './hook/project-command.ts';
import { addInboxCommand } from './inbox/inbox-command.ts';
import { addHarvestCommand } from './move/harvest-command.ts';
import { addPortabilityCommands } from './move/portability-commands.ts';
import { addSyncCommands } from './sync/sync-command.ts';
import { reportFailure } from './terminal/failure.ts';
import { createScreen } from './terminal/screen.ts';

export interface Cli {
  /** Runs one command line; returns the exit code. */
  run(argv: readonly string[]): Promise<number>;
}

/** The command line: all commands, grouped as in `helmdeck --help`. */
export function createCli(deps: CliDeps): Cli {
  return {
    async run(argv) {
      const program = createProgram(deps);
      try {
        if (argv.length === 0) program.outputHelp();
        else await program.parseAsync([...argv], { from: 'user' });
        return 0;
      } catch (thrown) {
        const screen = createScreen(deps.terminal, wantsJson(argv));
        return reportFailure(thrown, screen, (line) => deps.terminal.err.write(`${line}\n`));
      }
    },
  };
}

/** The tree of all commands. */
export function createProgram(deps: CliDeps): Command {
  const { out, err } = deps.terminal;
  const program = new Command('helmdeck')
    .description('Encrypted memory for AI agents: facts that expire, with history, on your own machine.')
    .version(deps.version, '-V, --version', 'print the version')
    .option('--json', 'machine-readable output')
    .enablePositionalOptions() // `get --version 2` is the version of the fact, not of Helmdeck
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ styleTitle: (title) => createScreen(deps.terminal, false).paint('bold', title) })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: () => {}, // reportFailure prints it
    });
  program.commandsGroup('Run:');
  addServerCommands(program, deps);
  addMcpCommand(program, deps);
  addConnectCommand(program, deps);
  program.commandsGroup('Remember and recall:');
  addFactCommands(program, deps);
  addEditCommands(program, deps);
  addReviewCommands(program, deps);
  addRecallCommand(program, deps);
  addContextCommand(program, deps);
  addProjectCommand(program, deps);
  addHookCommand(program, deps);
  addInboxCommand(program, deps);
  addSyncCommands(program, deps);
  addSpaceCommands(program, deps);
  addOverviewCommands(program, deps);
  program.commandsGroup('Packs:');
  addPackCommands(program, deps);
  addPipelineCommands(program, deps);
  addJobCommands(program, deps);
  program.commandsGroup('Forget:');
  addForgetCommand(program, deps);
  addReceiptCommand(program, deps);
  program.commandsGroup('Import, export, migrate:');
  addPortabilityCommands(program, deps);
  addHarvestCommand(program, deps);
  addMigrateCommand(program, deps);
  program.commandsGroup('Access:');
  addLoginCommands(program, deps);
  addVaultCommands(program, deps);
  addTokenCommands(program, deps);
  addUserCommands(program, deps);
  addCallersCommand(program, deps);
  addAuditCommands(program, deps);
  program.commandsGroup('Maintain:');
  addMaintenanceCommands(program, deps);
  addBackupCommands(program, deps);
  program.commandsGroup('Help:');
  addCompletionCommand(program, deps);
  addManCommand(program, deps);
  addHelpCommand(program);
  return program.addHelpText('after', ROOT_EXAMPLES);
}

const ROOT_EXAMPLES = `
Start here:
  $ helmdeck serve --init
  $ helmdeck remember user/editor "prefers vim"
  $ helmdeck recall which editor
  $ helmdeck connect claude-code

Commands use HELMDECK_URL with HELMDECK_TOKEN, the server of "helmdeck login", or the one
on this machine, or open the database of this folder if none runs.
"helmdeck help <command>" shows options and examples.`;

/** Whether failures are printed as JSON, also when the command line could not be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}
