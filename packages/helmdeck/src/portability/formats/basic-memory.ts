import type { ForeignFormat } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { listField, markdownBlocks, parseMarkdown, plainText, textField } from '../reading/markdown.ts';
import { documentText } from '../reading/text-stream.ts';

const OBSERVATION = /^\[([\w -]{1,40})\]\s+(.+)$/s;
const RELATION = /^([\w -]{1,40}?)\s+\[\[([^\]]+)\]\]/;
const MAX_NOTE_CHARS = 20_000;

/** Notes of basic-memory and Obsidian. Observations and relations are facts of their own; other notes are one fact each. */
export const basicMemory: ForeignFormat = {
  name: 'basic-memory',
  detect: ({ name, head }) =>
    /^---\n/.test(head.replaceAll('\r\n', '\n')) ||
    /^\s*- \[[\w -]+\] .+/m.test(head) ||
    (/\.md$/i.test(name) && /\[\[[^\]]+\]\]/.test(head)),
  async *read({ name, text }) {
    const document = parseMarkdown(await documentText(text));
    const fileName = name.replace(/\.md$/i, '').split('/').at(-1) ?? '';
    const heading = /^# (.+)$/m.exec(document.body)?.[1];
    const title = textField(document, 'title') ?? heading ?? fileName;
    const place = (textField(document, 'permalink') ?? title).split('/');
    const tags = [...new Set(listField(document, 'tags').map((tag) => tag.replace(/^#/, '')))];
    const folder = keyPath('notes', ...place);
    let facts = 0;
    for (const { kind, text: block } of markdownBlocks(document.body)) {
      if (kind !== 'bullet') continue;
      const observation = /^x$/i.test(OBSERVATION.exec(block)?.[1] ?? '') ? null : OBSERVATION.exec(block);
      const relation = RELATION.exec(block);
      if (observation) {
        const [, category, said] = observation;
        const own = [...said!.matchAll(/(?:^|\s)#([\p{L}\p{N}_/-]+)/gu)].map(([, tag]) => tag!);
        const value = plainText(said!.replace(/(?:^|\s)#[\p{L}\p{N}_/-]+/gu, ''));
        yield {
          key: contentKey(`${folder}/${keyPath(category!)}`, value),
          value: `${title}: ${value}`,
          tags: [...new Set([...tags, ...own])],
        };
        facts++;
      } else if (relation) {
        const [, name_, target] = relation;
        yield {
          key: `${folder}/${keyPath(name_!, target!)}`,
          value: `${title} ${name_!.replaceAll('_', ' ')} ${plainText(target!)}`,
          tags,
        };
        facts++;
      }
    }
    const body = document.body.replace(/^# .+\n?/m, '').trim();
    if (facts > 0 || body === '') return;
    if (body.length > MAX_NOTE_CHARS) yield { omitted: 'the note is longer than 20,000 characters' };
    else yield { key: folder, value: body, tags };
  },
};
