import type { ForeignFormat } from '../candidate.ts';
import { FACT_BEGINS, FACT_ENDS } from '../export/export-markdown.ts';
import { linesOf } from '../reading/text-stream.ts';
import { type Fields, isFields, textOf, textsOf, timeOf } from './json-fields.ts';

/** Our own export as Markdown, also after a person edited it. */
export const helmdeckMarkdown: ForeignFormat = {
  name: 'helmdeck-markdown',
  detect: ({ head }) => head.includes(`\n${FACT_BEGINS}{`),
  async *read({ text }) {
    let about: Fields | undefined;
    let value: string[] = [];
    for await (const line of linesOf(text)) {
      const isEnd = about && line.trimEnd() === `${FACT_ENDS}${textOf(about.mark)} -->`;
      if (about && isEnd) {
        yield {
          key: textOf(about.key),
          isKeyGiven: true,
          value: value.join('\n'),
          category: textOf(about.category) || undefined,
          tags: textsOf(about.tags),
          createdMs: timeOf(about.created_at),
          expiresMs: timeOf(about.expires_at),
        };
        about = undefined;
      } else if (about) value.push(line);
      else if (line.startsWith(FACT_BEGINS)) {
        about = aboutOf(line);
        value = [];
        if (!about) yield { omitted: 'the comment of a fact was changed and cannot be read' };
      }
    }
    if (about) yield { omitted: 'the last fact has no end mark' };
  },
};

function aboutOf(line: string): Fields | undefined {
  try {
    const about: unknown = JSON.parse(line.slice(FACT_BEGINS.length).replace(/\s*-->\s*$/, ''));
    return isFields(about) ? about : undefined;
  } catch {
    return undefined;
  }
}
