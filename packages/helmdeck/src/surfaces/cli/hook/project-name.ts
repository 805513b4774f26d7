import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

// Which project a folder belongs to. Reads files only: starting git would take longer than the rest of a hook.

/** As many as a fact's project may have. */
const MAX_CHARS = 200;
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;

export interface Project {
  name: string;
  from: '.helmdeck' | 'git remote' | 'folder';
}

/** The project of a folder: a `.helmdeck` file in it or above, else its git remote, else the name of its top folder. */
export function projectOf(folder: string, homeDir: string | undefined): Project | undefined {
  const start = resolve(folder);
  const named = findUp(start, (each) => nameInFile(join(each, '.helmdeck')));
  if (named) return { name: named.found, from: '.helmdeck' };
  const git = findUp(start, (each) => commonGitDir(join(each, '.git')));
  const remote = git && remoteIn(join(git.found, 'config'));
  if (remote !== undefined) {
    const name = clean(normalisedRemote(remote, dirname(git!.found)));
    if (name !== '') return { name, from: 'git remote' };
  }
  // The folder of the main worktree, so that the others are the same project.
  const top = git && basename(git.found) === '.git' ? dirname(git.found) : (git?.folder ?? start);
  const name = top === homeDir ? '' : clean(basename(top));
  return name === '' ? undefined : { name, from: 'folder' };
}

/** The same for ssh and https, without user, password, port and `.git`: `github.com/acme/shop`. */
export function normalisedRemote(url: string, repository: string): string {
  const withScheme = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)(?::\d+)?\/(.*)$/i.exec(url);
  // As in `git@github.com:acme/shop.git`; a single letter before the colon is a drive of Windows.
  const scp = withScheme ? null : /^(?:[^/@]*@)?([^/:]{2,}):(?!\/\/)(.*)$/.exec(url);
  const [, host, path] = withScheme ?? scp ?? [];
  if (host === undefined) {
    const local = url.replace(/^file:\/\//, '');
    return trimmedPath(isAbsolute(local) ? local : resolve(repository, local));
  }
  const plainHost = host.toLowerCase().replace(/^(?:alt)?ssh\.(?=github\.|gitlab\.|bitbucket\.)/, '');
  return `${plainHost}/${trimmedPath(path!.replace(/^\/+/, ''))}`;
}

const trimmedPath = (path: string) => path.replace(/[\\/]+$/, '').replace(/\.git$/, '');

/** Walks up from a folder until `look` finds something. */
function findUp<T>(start: string, look: (folder: string) => T | undefined) {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = look(folder);
    if (found !== undefined) return { folder, found };
    if (dirname(folder) === folder) return undefined;
  }
}

/** The first line of a file that is not a comment. */
function nameInFile(path: string): string | undefined {
  const line = readText(path)
    ?.split('\n')
    .find((each) => each.trim() !== '' && !each.startsWith('#'));
  return (line && clean(line.replace(/^\s*project\s*[:=]/, ''))) || undefined;
}

/** The git folder that has the configuration: `.git` itself, or the one that a worktree or submodule points to. */
function commonGitDir(path: string): string | undefined {
  if (isFolder(path)) return path;
  const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(readText(path) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const own = resolve(dirname(path), pointer);
  const common = readText(join(own, 'commondir'))?.trim();
  return common === undefined ? own : resolve(own, common);
}

/** The address of the remote `origin`, else of the first one. */
function remoteIn(config: string): string | undefined {
  let section: string | undefined;
  let first: string | undefined;
  for (const line of (readText(config) ?? '').split('\n')) {
    const header = /^\s*\[\s*(\w+)(?:\s+"(.*)")?\s*\]/.exec(line);
    if (header) section = header[1]!.toLowerCase() === 'remote' ? (header[2] ?? '') : undefined;
    const url = section === undefined ? undefined : /^\s*url\s*=\s*"?(.+?)"?\s*$/i.exec(line)?.[1];
    if (url === undefined) continue;
    if (section === 'origin') return url;
    first ??= url;
  }
  return first;
}

function clean(text: string): string {
  return [...text.toWellFormed().replaceAll(HIDDEN, '').trim().normalize('NFC')].slice(0, MAX_CHARS).join('');
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // no such file, a folder, or one that may not be read
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
