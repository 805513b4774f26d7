import type { Command } from 'commander';
import type { CliDeps } from './deps.ts';
import { createScreen, type Screen } from './terminal/screen.ts';

/** Defines a command with `--json`, a one-line description and examples. */
export function defineCommand(
  parent: Command,
  signature: string,
  about: string,
  examples: readonly string[],
): Command {
  const lines = examples
    .map((example) => `  $ ${example.includes('helmdeck ') ? example : `helmdeck ${example}`}`)
    .join('\n');
  return parent
    .command(signature)
    .description(about)
    .option('--json', 'machine-readable output')
    .addHelpText('after', examples.length > 0 ? `\nExamples:\n${lines}` : '');
}

/** Adds the option that lets an admin read another caller's memory. */
export function withCaller(command: Command): Command {
  return command.option('--caller <sub>', "another caller's memory (admins; audited)");
}

/** Adds the option that makes a command work on a space that was shared with the caller. */
export function withSpace(command: Command): Command {
  return command.option('--space <name>', 'a space shared with you instead of your own memory');
}

export function screenOf(deps: CliDeps, command: Command): Screen {
  return createScreen(deps.terminal, command.optsWithGlobals().json === true);
}
