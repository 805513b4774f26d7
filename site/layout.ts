import { escapeHtml, linkBetween } from './markdown.ts';
import type { NavigationGroup } from './pages.ts';

const LOGO = `<svg class="logo" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><circle cx="12" cy="12" r="6.2"/><circle cx="12" cy="12" r="1.7" fill="currentColor" stroke="none"/><path d="M12 1.8v4M12 18.2v4M1.8 12h4M18.2 12h4M4.8 4.8l2.8 2.8M16.4 16.4l2.8 2.8M19.2 4.8l-2.8 2.8M7.6 16.4l-2.8 2.8"/></svg>`;

export interface Frame {
  /** From the root of the site. */
  url: string;
  title: string;
  description: string;
  body: string;
  repository: string | undefined;
}

/** The document around a page: head, bar with search, footer. Every link is relative, so it works under any path. */
export function frame({ url, title, description, body, repository }: Frame): string {
  const to = (target: string) => linkBetween(url, target);
  const source = repository ? `<a href="${escapeHtml(repository)}">Source</a>` : '';
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('site.css')}">
<script type="module" src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="${to('index.html')}">${LOGO}Helmdeck</a>
<nav aria-label="Site"><a href="${to('howto/first-minute.html')}">Start</a><a href="${to('contents.html')}">Documentation</a>${source}</nav>
<button class="search-open" type="button" aria-haspopup="dialog">Search <kbd>/</kbd></button>
</header>
<dialog class="search" aria-label="Search the documentation">
<input type="search" role="combobox" aria-expanded="true" aria-controls="hits" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false">
<ul id="hits" role="listbox" aria-label="Pages"></ul>
<p class="search-note" role="status"></p>
</dialog>
${body}
</body>
</html>
`;
}

/** A page of the documentation beside the navigation. */
export function documentBody(url: string, html: string, groups: readonly NavigationGroup[]): string {
  const lists = groups.map(({ title, links }) => {
    const isHere = links.some((link) => link.url === url);
    const items = links.map((link) => {
      const current = link.url === url ? ' aria-current="page"' : '';
      return `<li><a href="${linkBetween(url, link.url)}"${current}>${escapeHtml(link.title)}</a></li>`;
    });
    return `<details${isHere ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${items.join('')}</ul></details>`;
  });
  return `<div class="page">
<main id="content" class="prose" tabindex="-1">
${html}
</main>
<nav class="side" aria-label="Documentation">${lists.join('\n')}</nav>
</div>`;
}
