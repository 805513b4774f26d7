import type { Turn } from '../../memory/harvest/extract.ts';
import type { ForeignFormat } from '../candidate.ts';
import { jsonElements } from '../reading/json-elements.ts';
import { type Fields, isFields, listOf, textOf, timeOf } from './json-fields.ts';

/** The export of ChatGPT: conversations as trees of messages. What it remembers is not part of its export. */
export const chatgptExport: ForeignFormat = {
  name: 'chatgpt-export',
  detect: ({ head }) => /^\s*\[/.test(head) && /"mapping"\s*:\s*\{/.test(head),
  async *read({ text }) {
    for await (const { value } of jsonElements(text)) {
      if (!isFields(value) || !isFields(value.mapping)) continue;
      const id = textOf(value.conversation_id) || textOf(value.id) || textOf(value.title);
      yield { conversation: { id, title: textOf(value.title), turns: turnsOf(value) } };
    }
  },
};

/** The branch that the person last saw: from the current message up to the first. */
function turnsOf({ mapping, current_node }: Fields): Turn[] {
  const nodes = new Map(Object.entries(mapping as Fields));
  const turns: Turn[] = [];
  const seen = new Set<string>();
  let id = textOf(current_node) || lastOf(nodes);
  while (id !== '' && !seen.has(id)) {
    seen.add(id);
    const node = nodes.get(id);
    if (!isFields(node)) break;
    const turn = turnOf(node.message);
    if (turn) turns.push(turn);
    id = textOf(node.parent);
  }
  return turns.reverse();
}

/** The newest message without an answer, where the export does not say which is current. */
function lastOf(nodes: Map<string, unknown>): string {
  let last = '';
  for (const [id, node] of nodes) if (isFields(node) && listOf(node.children).length === 0) last = id;
  return last;
}

function turnOf(message: unknown): Turn | undefined {
  if (!isFields(message) || !isFields(message.author) || !isFields(message.content)) return undefined;
  // Parts may be null, or objects for images and tools: those are not what the person wrote.
  const text = listOf(message.content.parts).map(textOf).filter(Boolean).join('\n');
  return text === ''
    ? undefined
    : { role: textOf(message.author.role), text, atMs: timeOf(message.create_time) };
}
