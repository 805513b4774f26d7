import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { normalisedRemote, projectOf } from './project-name.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'project-'));
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, stdio: 'ignore' });

it('every way to write the address of one repository names one project', () => {
  const addresses = [
    'git@github.com:acme/shop.git',
    'git@GitHub.com:/acme/shop',
    'ssh://git@github.com/acme/shop.git',
    'ssh://git@github.com:22/acme/shop.git/',
    'ssh://git@ssh.github.com:443/acme/shop.git',
    'https://github.com/acme/shop',
    'https://github.com:443/acme/shop.git',
    'https://user:ghp_secret@github.com/acme/shop.git',
    'git://github.com/acme/shop.git',
    'github.com:acme/shop.git',
  ];
  for (const address of addresses)
    expect(normalisedRemote(address, '/x'), address).toBe('github.com/acme/shop');
});

it('a remote that is a folder is named by its path', () => {
  expect(normalisedRemote('/srv/git/shop.git', '/home/a/shop')).toBe('/srv/git/shop');
  expect(normalisedRemote('../shop.git', '/home/a/clone')).toBe('/home/a/shop');
  expect(normalisedRemote('file:///srv/git/shop.git', '/x')).toBe('/srv/git/shop');
});

it('a subfolder, a worktree and the repository are one project', () => {
  const repository = join(folder(), 'shop');
  mkdirSync(join(repository, 'src/deep'), { recursive: true });
  git(repository, 'init', '-q');
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'first');
  const worktree = join(folder(), 'elsewhere');
  git(repository, 'worktree', 'add', '-q', worktree);
  const names = () =>
    [repository, join(repository, 'src/deep'), worktree].map((each) => projectOf(each, undefined));
  for (const project of names()) expect(project).toEqual({ name: 'shop', from: 'folder' });
  git(repository, 'remote', 'add', 'fork', 'https://example.com/me/fork.git');
  git(repository, 'remote', 'add', 'origin', 'https://me:secret@example.com:8443/acme/shop.git');
  for (const project of names())
    expect(project).toEqual({ name: 'example.com/acme/shop', from: 'git remote' });
});

it('a .helmdeck file above the folder decides, and may have comments', () => {
  const top = folder();
  mkdirSync(join(top, 'a/b'), { recursive: true });
  writeFileSync(join(top, '.helmdeck'), '# shared by both repositories\n\nproject: platform\u200b team\r\n');
  git(join(top, 'a'), 'init', '-q');
  git(join(top, 'a'), 'remote', 'add', 'origin', 'git@github.com:acme/shop.git');
  expect(projectOf(join(top, 'a/b'), undefined)).toEqual({ name: 'platform team', from: '.helmdeck' });
});

it('a folder named .helmdeck and an empty file are not a project; the home folder is none', () => {
  const top = folder();
  mkdirSync(join(top, 'shop/.helmdeck'), { recursive: true });
  writeFileSync(join(top, '.helmdeck'), '\n# nothing\n');
  expect(projectOf(join(top, 'shop'), top)).toEqual({ name: 'shop', from: 'folder' });
  expect(projectOf(top, top)).toBeUndefined();
  expect(projectOf('/', undefined)).toBeUndefined();
});
