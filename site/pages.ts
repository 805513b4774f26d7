import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

/** A Markdown file of the repository that becomes a page. */
export interface Source {
  /** From the root of the repository, such as `docs/howto/vault.md`. */
  path: string;
  /** From the root of the site, such as `howto/vault.html`. */
  url: string;
  text: string;
}

const OF_THE_ROOT = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

const urlOf = (path: string): string =>
  path
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md')
    .replace(/^index\.md$/, 'contents.md')
    .replace(/\.md$/, '.html')
    .toLowerCase();

export function readSources(): Source[] {
  const paths = [...globSync('docs/**/*.md', { cwd: ROOT }), ...OF_THE_ROOT];
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, url: urlOf(path), text: readFileSync(join(ROOT, path), 'utf8') }));
}

export interface NavigationGroup {
  title: string;
  links: { title: string; url: string }[];
}

/** The groups of docs/README.md, whose headings and lists are the navigation of every page. */
export function readNavigation(contents: string): NavigationGroup[] {
  const sections = contents.split(/^## /m).slice(1);
  const groups = sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    links: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title, target]) => ({
      title: title!,
      url: urlOf(join('docs', target!).replaceAll('\\', '/')),
    })),
  }));
  return groups.filter(({ links }) => links.length > 0);
}
