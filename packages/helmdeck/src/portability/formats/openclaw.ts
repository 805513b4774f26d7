import type { ForeignFormat } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { markdownBlocks, parseMarkdown, plainText } from '../reading/markdown.ts';
import { documentText } from '../reading/text-stream.ts';

const DIARY = /(?:^|\/)(\d{4}-\d\d-\d\d)[^/]*\.md$/;
const LONG_TERM = /(?:^|\/)MEMORY\.md$/;
const PERSON = /(?:^|\/)USER\.md$/;

/** The memory of OpenClaw: `MEMORY.md`, `USER.md` and a file for each day. */
export const openclaw: ForeignFormat = {
  name: 'openclaw',
  detect: ({ name }) => DIARY.test(name) || LONG_TERM.test(name) || PERSON.test(name),
  async *read({ name, text }) {
    const day = DIARY.exec(name)?.[1];
    const folder = day ? `journal/${day}` : PERSON.test(name) ? 'user' : 'openclaw';
    const createdMs = day === undefined ? undefined : Date.parse(day);
    const { body } = parseMarkdown(await documentText(text));
    for (const { headings, text: block } of markdownBlocks(body)) {
      const value = plainText(block);
      if (value.length < 3) continue;
      // The first heading is the title of the file.
      const under = headings.slice(1).at(-1);
      const place = under === undefined ? folder : `${folder}/${keyPath(under)}`;
      yield {
        key: contentKey(place, value),
        value,
        category: PERSON.test(name) ? 'user_facts' : undefined,
        tags: ['openclaw'],
        createdMs,
      };
    }
  },
};
