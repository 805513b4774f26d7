import type { ForeignFormat } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { markdownBlocks, parseMarkdown, plainText } from '../reading/markdown.ts';
import { documentText } from '../reading/text-stream.ts';

const NAMES = /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|COPILOT-INSTRUCTIONS)\.md$/i;
const GEMINI_MEMORIES = 'gemini added memories';
/** Headings whose bullets are rules or facts. Under others, such as a table of contents, they are not. */
const KNOWN =
  /prefer|convention|style|rule|guideline|memor|note|command|workflow|architect|test|deploy|setup|build|stack|tool|important|security|git|commit|review|structure|language|decision|overview|project|instruction|naming|format|error|database|api|environment|do(?:n't| not)|always|never/i;

/** Bullets under known headings of CLAUDE.md, AGENTS.md and GEMINI.md. */
export const agentsMd: ForeignFormat = {
  name: 'agents-md',
  detect: ({ name, head }) => NAMES.test(name) || /^## Gemini Added Memories\s*$/m.test(head),
  async *read({ text, project }) {
    const { body } = parseMarkdown(await documentText(text));
    const folder = project === undefined ? 'conventions' : keyPath('project', project, 'conventions');
    for (const { headings, kind, text: block } of markdownBlocks(body)) {
      const heading = headings.findLast((each) => KNOWN.test(each));
      if (kind !== 'bullet' || heading === undefined) continue;
      const value = plainText(block);
      const isMemory = heading.toLowerCase() === GEMINI_MEMORIES;
      const section = keyPath(heading);
      const place = isMemory ? 'user' : section === 'conventions' ? folder : `${folder}/${section}`;
      if (value.length >= 3)
        yield {
          key: contentKey(place, value),
          value,
          category: isMemory ? 'user_facts' : 'project_conventions',
        };
    }
  },
};
