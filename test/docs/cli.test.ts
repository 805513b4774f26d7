import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createDeps } from '../../packages/helmdeck/src/server/process/main.ts';
import { commandTree } from '../../packages/helmdeck/src/surfaces/cli/completion/command-tree.ts';
import { createProgram } from '../../packages/helmdeck/src/surfaces/cli/program.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8');
const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
const deps = createDeps({}, terminal, { onInterrupt: () => () => {}, release: () => {} });
/** With options of its own, a command does something without a subcommand as well. */
const hasOptions = (options: readonly { flags: string[] }[]) =>
  options.some(({ flags }) => !flags.includes('--help'));
const commands = commandTree(createProgram(deps)).filter(
  ({ path, subcommands, options }) =>
    path === 'help' ||
    (path !== '' && !path.startsWith('help ') && (subcommands.length === 0 || hasOptions(options))),
);

/** The rows of the table of commands: the words of the command, whether it is marked *, and the whole row. */
const rows = [...page.matchAll(/^\| `([a-z-]+(?: [a-z-]+)*)[^`]*`( \*)? \|.*$/gm)].map(
  ([row, path, mark]) => ({ path: path!, hasCaller: mark !== undefined, row }),
);

it('docs/reference/cli.md lists every command of the program and no other', () => {
  expect(rows.map(({ path }) => path).sort()).toEqual(commands.map(({ path }) => path).sort());
});

it('docs/reference/cli.md names every option of each command', () => {
  for (const { path, options } of commands) {
    if (path === 'pack run') continue; // "as run"
    const { row, hasCaller } = rows.find((each) => each.path === path)!;
    const flags = options.map((option) => option.flags.at(-1)!);
    expect(hasCaller, `${path} --caller`).toBe(flags.includes('--caller'));
    for (const flag of flags.filter((each) => !['--json', '--help', '--caller'].includes(each)))
      expect(row, path).toContain(flag);
  }
});
