import type { Command, Option } from 'commander';

/** What can be completed after one command. */
export interface CompletedCommand {
  /** The words that lead to it: `pack run`; empty for the program itself. */
  path: string;
  about: string;
  subcommands: { name: string; about: string }[];
  options: CompletedOption[];
  /** Values of its first argument, if they are known. */
  choices: readonly string[];
  /** Whether its argument is a file. */
  takesFile: boolean;
}

export interface CompletedOption {
  /** `-y` and `--yes`. */
  flags: string[];
  about: string;
  takesValue: boolean;
  choices: readonly string[];
  takesFile: boolean;
}

const HELP_OPTION: CompletedOption = {
  flags: ['--help'],
  about: 'show help',
  takesValue: false,
  choices: [],
  takesFile: false,
};
const FILE_NAMES = new Set(['file', 'target', 'source', 'file-or-url']);

/** All commands with what follows them, in the order of the help. */
export function commandTree(program: Command): CompletedCommand[] {
  return walk(program, '');
}

function walk(command: Command, path: string): CompletedCommand[] {
  // In the order of `--help`; commander's own entries, such as `pack help`, need no completion.
  const children = command.commands.filter((each) => path === '' || each.name() !== 'help');
  if (path === 'help') return helpTopics(command.parent!, path);
  const arguments_ = command.registeredArguments;
  const own: CompletedCommand = {
    path,
    about: command.description(),
    subcommands: listed(children),
    options: [...command.options.map(completedOption), HELP_OPTION],
    choices: arguments_[0]?.argChoices ?? [],
    takesFile: arguments_.some((each) => FILE_NAMES.has(each.name())),
  };
  const below = children.flatMap((each) => walk(each, path === '' ? each.name() : `${path} ${each.name()}`));
  return [own, ...below];
}

/** The words after `help` name a command, and are completed like it, without options. */
function helpTopics(command: Command, path: string): CompletedCommand[] {
  const topics = command.commands.filter((each) => each.name() !== 'help');
  const own: CompletedCommand = {
    path,
    about: command.description(),
    subcommands: listed(topics),
    options: [],
    choices: [],
    takesFile: false,
  };
  return [own, ...topics.flatMap((each) => helpTopics(each, `${path} ${each.name()}`))];
}

function listed(commands: readonly Command[]): CompletedCommand['subcommands'] {
  return commands.map((each) => ({ name: each.name(), about: shortAbout(each.description()) }));
}

function completedOption(option: Option): CompletedOption {
  const valueName = /[<[]([^\]>]+)/.exec(option.flags)?.[1];
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    about: shortAbout(option.description),
    takesValue: valueName !== undefined,
    choices: option.argChoices ?? [],
    takesFile: valueName !== undefined && FILE_NAMES.has(valueName),
  };
}

/** One line without characters that mean something in a shell. */
function shortAbout(text: string): string {
  return text
    .split(/[;:(]/)[0]!
    .replaceAll(/["'`\\$[\]]/g, '')
    .trim();
}
