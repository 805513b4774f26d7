import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTree } from './command-tree.ts';
import { manPage } from './man-page.ts';

const program = new Command('helmdeck')
  .description('Memory for agents.')
  .option('--json', 'machine-readable');
program
  .command('get <key>')
  .description("'quoted' and\\escaped …")
  .option('-v, --version <n>', '.this version');
program.command('pack').description('packs').command('run <pack>').description('run a pack');

const page = manPage(commandTree(program), '1.2.3');
const hasGroff = spawnSync('groff', ['--version']).status === 0;

describe('the manual page', () => {
  it('has every command with its description and options', () => {
    for (const text of ['helmdeck get', 'helmdeck pack run', 'run a pack', '\\-\\-version', '1.2.3'])
      expect(page).toContain(text);
  });

  it('no text becomes a command of roff', () => {
    expect(page).toContain("\\&'quoted' and\\eescaped \\[u2026]");
    expect(page).toContain('\\&.this version');
  });

  it.runIf(hasGroff)('groff renders it without a warning', () => {
    const rendered = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: page, encoding: 'utf8' });
    expect(rendered).toMatchObject({ status: 0, stderr: '' });
  });
});
