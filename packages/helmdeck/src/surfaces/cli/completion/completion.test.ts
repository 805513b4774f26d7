import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addHelpCommand } from '../commands/help-command.ts';
import { bashCompletion } from './bash-completion.ts';
import { commandTree } from './command-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const program = new Command('helmdeck').option('--json', "the caller's JSON; all of it");
program.command('get <key>').description('print a value').option('--version <n>', 'this version');
program
  .command('connect')
  .description('connect a program')
  .addArgument(new Argument('<client>').choices(['codex', 'cursor']))
  .addOption(new Option('--profile <name>', 'tools').choices(['memory', 'all']));
program.command('import <file>').description('import a file').option('-y, --yes', 'do not ask');
const pack = program.command('pack').description('packs');
pack.command('list').description('list packs');
pack.command('run <pack>').description('run a pack');
addHelpCommand(program);

const tree = commandTree(program);
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck completion '));
  writeFileSync(join(dir, 'bash'), bashCompletion(tree));
  writeFileSync(join(dir, 'zsh'), zshCompletion(tree));
  writeFileSync(join(dir, 'fish'), fishCompletion(tree));
  writeFileSync(join(dir, 'some facts.jsonl'), '');
});
afterAll(() => rmSync(dir, { recursive: true }));

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const CASES: [line: string, completions: string[]][] = [
  ['helmdeck pa', ['pack']],
  ['helmdeck pack ', ['list', 'run']],
  ['helmdeck pack list --', ['--help']],
  ['helmdeck connect c', ['codex', 'cursor']],
  ['helmdeck connect --profile ', ['all', 'memory']],
  ['helmdeck get --version ', []],
  ['helmdeck import --y', ['--yes']],
  ['helmdeck --j', ['--json']],
  ['helmdeck help ', ['connect', 'get', 'import', 'pack']],
  ['helmdeck help pa', ['pack']],
  ['helmdeck help pack ', ['list', 'run']],
  ['helmdeck help get ', []],
  ['helmdeck help --', []],
];

describe('completion', () => {
  it('the tree has every command with its options, choices and file arguments', () => {
    expect(tree.map(({ path }) => path)).toEqual([
      '',
      'get',
      'connect',
      'import',
      'pack',
      'pack list',
      'pack run',
      'help',
      'help get',
      'help connect',
      'help import',
      'help pack',
      'help pack list',
      'help pack run',
    ]);
    expect(tree.find(({ path }) => path === 'connect')).toMatchObject({
      choices: ['codex', 'cursor'],
      options: [{ flags: ['--profile'], choices: ['memory', 'all'] }, { flags: ['--help'] }],
    });
    expect(tree.filter(({ takesFile }) => takesFile).map(({ path }) => path)).toEqual(['import']);
  });

  it.skipIf(!has('bash'))('bash completes commands, options and values', () => {
    for (const [line, completions] of CASES) {
      const words = line.split(' ').map((word) => `'${word}'`);
      const script = `source '${join(dir, 'bash')}'; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _helmdeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
      expect(stderr).toBe('');
      expect(stdout.split('\n').filter(Boolean).sort(), line).toEqual(completions);
    }
  });

  it.skipIf(!has('fish'))('fish completes commands, options, values and files', () => {
    for (const [line, completions] of [...CASES, ['helmdeck import so', ['some facts.jsonl']] as const]) {
      const { stdout, stderr } = spawnSync(
        'fish',
        ['--no-config', '-c', `source '${join(dir, 'fish')}'; complete -C '${line}'`],
        {
          encoding: 'utf8',
          cwd: dir,
          env: { ...process.env, HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir },
        },
      );
      expect(stderr).toBe('');
      const names = stdout
        .split('\n')
        .filter(Boolean)
        .map((each) => each.split('\t')[0]!);
      expect(names.sort(), line).toEqual(completions);
    }
  });

  it.skipIf(!has('zsh'))('zsh accepts the script and registers it', () => {
    const path = join(dir, 'zsh');
    expect(spawnSync('zsh', ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const script = `autoload -Uz compinit; compinit -u -d '${join(dir, 'dump')}'; source '${path}'; print $_comps[helmdeck]`;
    expect(spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8' }).stdout.trim()).toBe('_helmdeck');
  });

  it.skipIf(!has('zsh'))('zsh completes commands, options, values and files', () => {
    // Outside of its line editor zsh has no completion: these print what the script offers to it.
    const offers = `_describe() { print -rl -- \${\${(P)2}%%:*} }; compadd() { shift; print -rl -- $@ }; _files() { print -rl -- * }; compdef() { : }`;
    for (const [line, completions] of [...CASES, ['helmdeck import so', ['some facts.jsonl']] as const]) {
      const words = line.split(' ');
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const script = `${offers}; source '${join(dir, 'zsh')}'; words=(${quoted}); CURRENT=${words.length}; _helmdeck`;
      const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8', cwd: dir });
      expect(stderr).toBe('');
      const offered = stdout.split('\n').filter((name) => name !== '' && name.startsWith(words.at(-1)!));
      expect(offered.sort(), line).toEqual(completions);
    }
  });
});
