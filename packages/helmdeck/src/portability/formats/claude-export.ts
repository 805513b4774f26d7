import type { ForeignFormat, Item } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { jsonElements } from '../reading/json-elements.ts';
import { markdownBlocks, plainText } from '../reading/markdown.ts';
import { type Fields, isFields, listOf, textOf, timeOf } from './json-fields.ts';

/** The export of Claude: what it remembers in both shapes, and conversations. */
export const claudeExport: ForeignFormat = {
  name: 'claude-export',
  detect: ({ head }) =>
    /^\s*[[{]/.test(head) &&
    /"(?:chat_messages|conversations_memory|project_memories|memory_files)"\s*:/.test(head),
  async *read({ text }) {
    let rest: Fields = {};
    for await (const { member, value } of jsonElements(text)) {
      if (member === undefined && isFields(value)) yield* readObject(value);
      // The newer shape is one object instead of an array of them.
      else if (member === 'memory_files') yield* readObject({ memory_files: [value] });
      else if (member !== undefined) rest = { ...rest, [member]: value };
    }
    yield* readObject(rest);
  },
};

function* readObject(fields: Fields): Generator<Item> {
  if (Array.isArray(fields.chat_messages)) yield conversationOf(fields);
  yield* memories('claude', textOf(fields.conversations_memory));
  if (isFields(fields.project_memories)) {
    for (const [id, memory] of Object.entries(fields.project_memories))
      yield* memories(keyPath('project', id.slice(0, 8)), textOf(memory));
  }
  for (const file of listOf(fields.memory_files)) {
    if (!isFields(file)) continue;
    const name = textOf(file.path) || textOf(file.name) || textOf(file.file_name);
    const words = name
      .replace(/\.\w+$/, '')
      .split('/')
      .filter(Boolean);
    yield* memories(keyPath('claude', ...words), textOf(file.content) || textOf(file.text));
  }
}

/** A memory is a page of Markdown: one fact for each bullet and paragraph. */
function* memories(folder: string, page: string): Generator<Item> {
  for (const { headings, text } of markdownBlocks(page)) {
    const value = plainText(text);
    // A line that is bold as a whole is a heading.
    if (/^\*\*[^*]+\*\*:?$/.test(text.trim()) || value.length < 3) continue;
    yield {
      key: contentKey(
        keyPath(folder.split('/')[0]!, ...folder.split('/').slice(1), ...headings.slice(-1)),
        value,
      ),
      value,
      category: 'user_facts',
      tags: ['claude'],
    };
  }
}

function conversationOf({ uuid, name, chat_messages }: Fields): Item {
  const turns = listOf(chat_messages)
    .filter(isFields)
    .map((message) => ({
      role: textOf(message.sender) === 'human' ? 'user' : textOf(message.sender),
      text: textOf(message.text) || partsOf(message.content),
      atMs: timeOf(message.created_at),
    }));
  return { conversation: { id: textOf(uuid), title: textOf(name), turns } };
}

/** Only what was written: the content of an attachment or a tool is not the person's. */
function partsOf(content: unknown): string {
  const parts = listOf(content).filter(isFields);
  return parts
    .filter(({ type }) => type === undefined || type === 'text')
    .map(({ text }) => textOf(text))
    .join('\n');
}
