import { existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { ROOT, type Source } from './pages.ts';

/** A part of a page under its own heading, as search finds it. */
export interface Section {
  anchor: string;
  title: string;
  text: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  sections: Section[];
  /** Files of `docs/` that the page shows, such as pictures. */
  assets: Set<string>;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The address of one page as a link of another. */
export const linkBetween = (from: string, to: string): string =>
  relative(dirname(from), to).replaceAll('\\', '/') || to;

/**
 * Renders a page with the anchors that Git hosts give to headings, so that one link is right in both places. Links to
 * pages become links of the site; those to other files go to the repository, or become text where it has no address.
 */
export function renderPage(
  source: Source,
  urlOfPath: ReadonlyMap<string, string>,
  repository: string | undefined,
): RenderedPage {
  const assets = new Set<string>();
  const anchors = new Map<string, number>();
  const sections: Section[] = [{ anchor: '', title: '', text: '' }];
  const targetOf = (href: string) => normalize(join(dirname(source.path), href)).replaceAll('\\', '/');

  const link = (href: string): string | undefined => {
    if (/^[a-z][a-z0-9+.-]*:|^#/i.test(href)) return href;
    const [file, anchor] = href.split('#') as [string, string | undefined];
    const target = targetOf(decodeURIComponent(file)).replace(/\/$/, '');
    const url = urlOfPath.get(target) ?? urlOfPath.get(`${target}/README.md`);
    if (url) return linkBetween(source.url, url) + (anchor ? `#${anchor}` : '');
    if (target === 'README.md') return linkBetween(source.url, 'index.html');
    if (!existsSync(join(ROOT, target))) throw new Error(`${source.path}: ${href} does not exist`);
    return repository ? `${repository}/blob/main/${target}` : undefined;
  };
  const anchorOf = (text: string): string => {
    const name = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = anchors.get(name) ?? 0;
    anchors.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens);
        const title = plain(inner);
        const anchor = anchorOf(title);
        if (depth === 1) sections[0]!.title = title;
        else sections.push({ anchor, title, text: '' });
        const self =
          depth === 1 ? '' : `<a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
        return `<h${depth} id="${anchor}">${inner}${self}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens);
        const target = link(href);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image): string {
        const asset = targetOf(href);
        assets.add(asset);
        const src = linkBetween(source.url, asset.replace(/^docs\//, ''));
        return `<img src="${escapeHtml(src)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang }: Tokens.Code): string {
        // Focusable, because a long line scrolls.
        return `<pre tabindex="0"${lang ? ` data-language="${escapeHtml(lang)}"` : ''}><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
          .replaceAll('</table>', '</table></div>')
          // Many tables have no headings, others none in their first cell.
          .replaceAll(/<thead>\s*<tr>\s*(<th[^>]*><\/th>\s*)+<\/tr>\s*<\/thead>\s*/g, '')
          .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>'),
    },
  });
  const html = marked.parse(source.text, { async: false });
  for (const part of html.split(/(?=<h[2-6] id=)/)) {
    const anchor = /^<h[2-6] id="([^"]*)"/.exec(part)?.[1] ?? '';
    const section = sections.find((each) => each.anchor === anchor)!;
    section.text = plain(part.replace(/<h\d[\s\S]*?<\/h\d>/, '').replace(/<\/(td|th|li|p|tr)>/g, ' '))
      .replace(/\s+/g, ' ')
      .trim();
  }
  return { title: sections[0]!.title || source.path, html, sections, assets };
}
