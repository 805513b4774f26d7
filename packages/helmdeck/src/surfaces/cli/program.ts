import { Command } from 'commander';
import { addBackupCommands } from './commands/backup-commands.ts';
import { addContextCommand } from './commands/context-command.ts';
import { addFactCommands } from './commands/fact-commands.ts';
import { addForgetCommand } from './commands/forget-command.ts';
import { addMcpCommand } from './commands/mcp-command.ts';
import { addMigrateCommand } from './commands/migrate-command.ts';
import { addCareCommands, addServerCommands } from './commands/operate-commands.ts';
import { addAuditCommands, addCallersCommand, addOverviewCommands } from './commands/overview-commands.ts';
import { addPackCommands } from './commands/pack-commands.ts';
import { addPipelineCommands } from './commands/pipeline-commands.ts';
import { addPortabilityCommands } from './commands/portability-commands.ts';
import { addRecallCommand } from './commands/recall-command.ts';
import { addReceiptCommand } from './commands/receipt-command.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { addConnectCommand } from './connect/connect-command.ts';
import type { CliDeps } from './deps.ts';
import { reportFailure } from './terminal/failure.ts';
import { createScreen } from './terminal/screen.ts';

export interface Cli {
  /** Runs one command line; returns the exit code. */
  run(argv: readonly string[]): Promise<number>;
}

/** Every command: the table of contents. */
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

function createProgram(deps: CliDeps): Command {
  const { out, err } = deps.terminal;
  const program = new Command('helmdeck')
    .description('Encrypted memory for AI agents: facts that expire, with history, on your own machine.')
    .version(deps.version, '-V, --version', 'print the version')
    .option('--json', 'machine-readable output')
    .enablePositionalOptions() // `get --version 2` means the fact's version, not ours
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ styleTitle: (title) => createScreen(deps.terminal, false).paint('bold', title) })
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: () => {}, // said once, by reportFailure
    });
  program.commandsGroup('Run it:');
  addServerCommands(program, deps);
  addMcpCommand(program, deps);
  addConnectCommand(program, deps);
  program.commandsGroup('Remember and recall:');
  addFactCommands(program, deps);
  addRecallCommand(program, deps);
  addContextCommand(program, deps);
  addOverviewCommands(program, deps);
  program.commandsGroup('Packs:');
  addPackCommands(program, deps);
  addPipelineCommands(program, deps);
  program.commandsGroup('Forget:');
  addForgetCommand(program, deps);
  addReceiptCommand(program, deps);
  program.commandsGroup('Move:');
  addPortabilityCommands(program, deps);
  addMigrateCommand(program, deps);
  program.commandsGroup('Who may, who did:');
  addTokenCommands(program, deps);
  addCallersCommand(program, deps);
  addAuditCommands(program, deps);
  program.commandsGroup('Take care of it:');
  addCareCommands(program, deps);
  addBackupCommands(program, deps);
  program.addHelpCommand(
    new Command('help [command]').description('how a command is used').helpGroup('Help:'),
  );
  return program.addHelpText('after', ROOT_EXAMPLES);
}

const ROOT_EXAMPLES = `
Start here:
  $ helmdeck serve --init
  $ helmdeck remember user/editor "prefers vim"
  $ helmdeck recall which editor
  $ helmdeck connect claude-code

Commands talk to HELMDECK_URL with HELMDECK_TOKEN, or to the server on this machine,
or open the database themselves when none runs. "helmdeck <command> --help" has examples.`;

/** Whether failures are told as JSON too, also when the command line could not be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}
