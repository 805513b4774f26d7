import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { landingBody, TAGLINE } from './landing.ts';
import { documentBody, frame } from './layout.ts';
import { type RenderedPage, renderPage } from './markdown.ts';
import { ROOT, readNavigation, readSources } from './pages.ts';
import { serve } from './serve.ts';

// Builds the documentation site from `docs/`: `npm run site [-- --out folder] [--serve port]`.

const { values: options } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'site/dist') }, serve: { type: 'string' } },
});
const out = options.out;

/** The address of the repository on the web, once the package has one. */
function repositoryUrl(): string | undefined {
  const about = JSON.parse(readFileSync(join(ROOT, 'packages/helmdeck/package.json'), 'utf8')) as {
    repository?: { url?: string };
  };
  return about.repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(out, to)), { recursive: true });
  cpSync(join(ROOT, from), join(out, to), { recursive: true });
}

const repository = repositoryUrl();
const sources = readSources();
const urlOfPath = new Map(sources.map(({ path, url }) => [path, url]));
const navigation = readNavigation(sources.find(({ path }) => path === 'docs/README.md')!.text);
const assets = new Set<string>();
const searched: object[] = [];

rmSync(out, { recursive: true, force: true });
for (const source of sources) {
  const page = renderPage(source, urlOfPath, repository);
  for (const asset of page.assets) assets.add(asset);
  searched.push(...searchEntries(source.url, page));
  const description = page.sections[0]!.text.slice(0, 160);
  const body = documentBody(source.url, page.html, navigation);
  write(
    source.url,
    frame({ url: source.url, title: `${page.title} · Helmdeck`, description, body, repository }),
  );
}
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const landing = landingBody(readme, urlOfPath, repository);
for (const asset of landing.assets) assets.add(asset);
const home = { url: 'index.html', title: 'Helmdeck', description: TAGLINE, body: landing.html, repository };
write('index.html', frame(home));
write('search.json', JSON.stringify(searched));
for (const asset of assets) copy(asset, asset.replace(/^docs\//, ''));
copy('ui/public/icon.svg', 'icon.svg');
copy('site/browser/site.js', 'site.js');
copy('node_modules/minisearch/dist/es/index.js', 'minisearch.js');
const css = ['ui/src/styles/tokens.css', 'site/browser/site.css'];
write('site.css', css.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n'));
console.log(`${sources.length + 1} pages in ${out}`);
if (options.serve !== undefined) await serve(out, Number(options.serve));

function searchEntries(url: string, { title, sections }: RenderedPage): object[] {
  return sections.map((section) => ({
    url: section.anchor ? `${url}#${section.anchor}` : url,
    page: title,
    title: section.title || title,
    text: section.text,
  }));
}
