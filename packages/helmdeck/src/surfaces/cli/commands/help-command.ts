import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { closestName } from '../../closest-name.ts';

/** `helmdeck help [command]`, also for commands of two words. */
export function addHelpCommand(program: Command): void {
  program
    .command('help [command...]')
    .description('show the help of a command')
    .helpOption(false)
    .action((names: string[]) => {
      let found = program;
      for (const name of names) found = subcommand(found, name);
      found.help();
    });
}

function subcommand(parent: Command, name: string): Command {
  const found = parent.commands.find((each) => each.name() === name);
  if (found) return found;
  const names = parent.commands.map((each) => each.name());
  const meant = closestName(name, names, 2);
  throw new AppError(
    'invalid_input',
    `unknown command '${name}'${meant ? ` (Did you mean ${meant}?)` : ''}`,
    { reason: 'usage', hint: `"helmdeck help" lists the commands.` },
  );
}
