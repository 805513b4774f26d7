import { renderPage } from './markdown.ts';
import type { Source } from './pages.ts';

export const TAGLINE =
  'A memory server for AI agents that you run yourself: encrypted on disk, found again from a few vague words, shared by every program you use.';

const DOES: readonly { title: string; text: string; href: string }[] = [
  {
    title: 'One memory for every program',
    text: 'Claude Code, Cursor, Codex, Gemini CLI and ten more are connected with one command, over MCP; your own code with a TypeScript client or REST.',
    href: 'howto/connect-an-agent.html',
  },
  {
    title: 'Found from vague words',
    text: 'Typing errors, other word forms and synonyms find the fact, without a model. A small one on your machine finds it by meaning as well.',
    href: 'howto/find-things.html',
  },
  {
    title: 'Encrypted before the disk',
    text: 'Keys, values, tags and names are sealed with AES-256-GCM under a key per person. Erasing destroys the key, and signs a receipt.',
    href: 'security.html',
  },
  {
    title: 'A fact is not just text',
    text: 'It has versions, a source, an age and an expiry. Credentials are refused, contradictions pointed out, and what an agent may not decide waits for you.',
    href: 'howto/review-what-agents-learned.html',
  },
];

/** The sections of README.md that the landing page shows too, so that there is one place to write them. */
const FROM_README = ['Measured', 'What it does not do'];

function sectionOf(readme: string, title: string): string {
  const section = readme.split(/^(?=## )/m).find((each) => each.startsWith(`## ${title}\n`));
  if (!section) throw new Error(`README.md has no section "${title}"`);
  return section;
}

/** The body of the first page, and the files that it shows. */
export function landingBody(
  readme: string,
  urlOfPath: ReadonlyMap<string, string>,
  repository: string | undefined,
): { html: string; assets: string[] } {
  const text = FROM_README.map((title) => sectionOf(readme, title)).join('\n');
  const source: Source = { path: 'README.md', url: 'index.html', text };
  const { html: sections } = renderPage(source, urlOfPath, repository);
  const cards = DOES.map(
    ({ title, text, href }) => `<li><a href="${href}"><h2>${title}</h2><p>${text}</p></a></li>`,
  );
  const html = `<main id="content" class="landing" tabindex="-1">
<div class="hero">
<div class="pitch">
<h1>Agents forget.<br>Helmdeck remembers.</h1>
<p class="tagline">${TAGLINE}</p>
<pre tabindex="0"><code>npm run up  <span># in a clone</span>
node_modules/.bin/helmdeck connect cursor --write</code></pre>
<p class="calls"><a class="call" href="howto/first-minute.html">The first minute</a> <a href="#measured">How it compares</a> <a href="#what-it-does-not-do">Its limits</a></p>
</div>
<figure>
<div class="recording" role="group" aria-label="Recording" tabindex="0"><picture><source media="(prefers-reduced-motion: reduce)" srcset="recording.svg#end"><img id="recording" src="recording.svg" width="880" height="500" alt="A terminal: a fact is stored, found again with other words, a password is refused, and no file on the disk contains the text."></picture></div>
<figcaption>A real run of the command. <button type="button" data-recording hidden>Show the end</button></figcaption>
</figure>
</div>
<ul class="does">${cards.join('\n')}</ul>
<div class="prose">
${sections}
</div>
<footer><a href="contents.html">All documentation</a> · <a href="changelog.html">Changelog</a> · <a href="security.html">Security</a> · Apache-2.0</footer>
</main>`;
  return { html, assets: ['docs/recording.svg'] };
}
