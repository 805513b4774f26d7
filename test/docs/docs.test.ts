import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FOREIGN, VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';
import { GRAPH_PATH } from '../../packages/helmdeck/src/surfaces/graph/graph-server.ts';
import { MCP_PATHS, MEMORY_PATH, SEARCH_PATH } from '../../packages/helmdeck/src/surfaces/mcp/endpoints.ts';
import { QMD_PATHS } from '../../packages/helmdeck/src/surfaces/qmd/qmd-server.ts';
import { docsRoutes } from '../../packages/helmdeck/src/surfaces/rest/openapi/docs-routes.ts';
import { oidcRoutes } from '../../packages/helmdeck/src/surfaces/rest/people/oidc-routes.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IGNORED = /(^|\/)(node_modules|dist|ui-dist|data|\.git|\.vite)(\/|$)/;

interface Page {
  path: string;
  text: string;
  /** The text without code blocks and inline code, where brackets are not links. */
  prose: string;
}

function readPage(path: string): Page {
  const text = readFileSync(resolve(ROOT, path), 'utf8');
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]*`/g, 'code');
  return { path, text, prose };
}

const PAGES = globSync('**/*.md', { cwd: ROOT, exclude: (path) => IGNORED.test(path) })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !IGNORED.test(path))
  .sort()
  .map(readPage);

/** The problems that `find` reports, one line each, prefixed with the page. */
function problems(find: (page: Page) => Iterable<string>): string[] {
  return PAGES.flatMap((page) => [...find(page)].map((problem) => `${page.path}: ${problem}`));
}

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);

/** The anchors that Git hosts derive from a page's headings: a repeated one gets a number; and those set in HTML. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');
  const seen = new Map<string, number>();
  const anchors = matches(text, /^#{1,6} +(.+)$/gm).map((heading) => {
    const name = heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  });
  return [...anchors, ...matches(text, /\b(?:id|name)="([^"]+)"/g)];
}

/** Links and images: inline, by reference and in HTML. */
function linksOf({ prose }: Page): string[] {
  return [
    ...matches(prose, /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...matches(prose, /^ {0,3}\[[^\]]+\]: *<?([^\s>]+)/gm),
    ...matches(prose, /<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)="([^"]+)"/g),
  ];
}

function* brokenLinks(page: Page): Generator<string> {
  for (const link of linksOf(page)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
    const [file, anchor] = link.split('#') as [string, string | undefined];
    const here = resolve(ROOT, page.path);
    const target = file === '' ? here : resolve(dirname(here), decodeURIComponent(file));
    if (!existsSync(target)) yield `${link} does not exist`;
    else if (relative(ROOT, target).startsWith('..')) yield `${link} leaves the repository`;
    else if (anchor && target.endsWith('.md') && !anchorsOf(target).includes(anchor))
      yield `${link}: there is no such heading`;
  }
}

const SCRIPTS = Object.keys(JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')).scripts);

function* unknownScripts(page: Page): Generator<string> {
  for (const name of matches(page.text, /\bnpm run ([a-z][\w:-]*)/g))
    if (!SCRIPTS.includes(name)) yield `npm run ${name} is not a script`;
}

const MCP_ADDRESSES = [
  ...Object.values(MCP_PATHS),
  MEMORY_PATH,
  SEARCH_PATH,
  GRAPH_PATH,
  ...Object.values(QMD_PATHS),
];
const ROUTE_PATHS = [
  ...[...ROUTES, ...oidcRoutes, ...docsRoutes(ROUTES)].map((route) => route.path),
  ...MCP_ADDRESSES,
];
const ROUTE_PATTERNS = ROUTE_PATHS.map(
  (path) =>
    new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replaceAll('{key}', '.+')
        .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    ),
);

function* unknownPaths(page: Page): Generator<string> {
  for (const found of matches(page.text, /(\/api\/v1[^\s`"'|)\]>,;]*)/g)) {
    const path = found.replace(/[?#].*$/, '').replace(/[.:…*/]+$/, '');
    const isRoute = ROUTE_PATTERNS.some((pattern) => pattern.test(path));
    // "everything under /api/v1/memory" is fine too.
    const isFolder = ROUTE_PATHS.some((route) => route.startsWith(`${path}/`));
    if (!isRoute && !isFolder) yield `${found} is not a route`;
  }
}

/** Prefixes that Kubernetes injects; the configuration page says that they are ignored. */
const INJECTED = ['PORT', 'SERVICE_'];
const NAMES = new Set(
  Object.entries(VARIABLES).flatMap(([name, about]) =>
    'secret' in about || 'file' in about ? [name, `${name}_FILE`] : [name],
  ),
);

function* unknownVariables(page: Page): Generator<string> {
  for (const [, name, star] of page.text.matchAll(/\bHELMDECK_([A-Z0-9_]+)(\*?)/g)) {
    const known = star
      ? INJECTED.includes(name!) || [...NAMES].some((each) => each.startsWith(name!))
      : NAMES.has(name!) || FOREIGN.has(`HELMDECK_${name}`);
    if (!known) yield `HELMDECK_${name}${star} is not a setting`;
  }
}

/** Pages about the code, whose `paths/like/this.ts` are files of the repository or of the server's source. */
const CODE_PAGES = /^(AGENTS|CONTRIBUTING|docs\/(ARCHITECTURE|GLOSSARY|adr\/.+))\.md$/;
const TOP_FOLDERS = ['bench', 'deploy', 'docs', 'integrations', 'packages', 'scripts', 'test', 'ui'];
const SOURCE_FOLDERS = readdirSync(resolve(ROOT, 'packages/helmdeck/src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function* missingSources(page: Page): Generator<string> {
  if (!CODE_PAGES.test(page.path)) return;
  for (const path of matches(page.text, /`([a-z][\w-]*\/[\w./-]*)`/g)) {
    const [top] = path.split('/');
    const inSource = SOURCE_FOLDERS.includes(top!);
    if (!inSource && !TOP_FOLDERS.includes(top!)) continue;
    const places = [path, ...(inSource ? [`packages/helmdeck/src/${path}`] : [])];
    if (!places.some((place) => existsSync(resolve(ROOT, place)))) yield `${path} does not exist`;
  }
}

describe('documentation', () => {
  it('the test reads README.md, the architecture page and the package README', () => {
    expect(PAGES.map((page) => page.path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/ARCHITECTURE.md', 'packages/helmdeck/README.md']),
    );
  });

  it('no page has a broken link', () => expect(problems(brokenLinks)).toEqual([]));

  it('pages name only npm scripts that exist', () => expect(problems(unknownScripts)).toEqual([]));

  it('pages name only routes that exist', () => expect(problems(unknownPaths)).toEqual([]));

  it('pages name only settings that exist', () => expect(problems(unknownVariables)).toEqual([]));

  it('docs/reference/rest.md lists every route', () => {
    const page = PAGES.find(({ path }) => path === 'docs/reference/rest.md')!;
    const missing = ROUTES.filter(({ method, path }) => !page.text.includes(`\`${method} ${path}\``));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('docs/adr/README.md lists every decision', () => {
    const index = PAGES.find(({ path }) => path === 'docs/adr/README.md')!;
    const decisions = PAGES.map(({ path }) => path).filter((path) => /^docs\/adr\/\d{4}-/.test(path));
    const unlisted = decisions.filter((path) => !index.text.includes(`(${path.slice('docs/adr/'.length)})`));
    expect(unlisted).toEqual([]);
  });

  it('pages about the code name only source files and folders that exist', () =>
    expect(problems(missingSources)).toEqual([]));
});
