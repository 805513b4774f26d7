import { Argument, type Command } from 'commander';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { bashCompletion } from './bash-completion.ts';
import { commandTree } from './command-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { manPage } from './man-page.ts';
import { zshCompletion } from './zsh-completion.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `helmdeck completion`: a script for a shell, generated from the commands of this program. */
export function addCompletionCommand(program: Command, deps: CliDeps): void {
  defineCommand(program, 'completion', 'print the completion script of a shell', [
    'source <(helmdeck completion bash)',
    'source <(helmdeck completion zsh)',
    'helmdeck completion fish > ~/.config/fish/completions/helmdeck.fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .action(async (shell: keyof typeof SHELLS, _options: object, command: Command) => {
      const script = SHELLS[shell](commandTree(program));
      const screen = screenOf(deps, command);
      if (screen.json) await screen.result({ shell, script }, () => script);
      else await screen.write(script);
    });
}

/** `helmdeck man`: the manual page, generated from the commands of this program. */
export function addManCommand(program: Command, deps: CliDeps): void {
  defineCommand(program, 'man', 'print the manual page', [
    'helmdeck man > ~/.local/share/man/man1/helmdeck.1',
  ]).action(async (_options: object, command: Command) => {
    const page = manPage(commandTree(program), deps.version);
    const screen = screenOf(deps, command);
    if (screen.json) await screen.result({ page }, () => page);
    else await screen.write(page);
  });
}
