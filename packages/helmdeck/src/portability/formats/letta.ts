import type { Candidate, ForeignFormat } from '../candidate.ts';
import { keyPath } from '../content-key.ts';
import { jsonElements } from '../reading/json-elements.ts';
import { isFields, listOf, textOf } from './json-fields.ts';

/** The memory blocks of a Letta agent file (.af). Messages and tools of the agent are left out. */
export const letta: ForeignFormat = {
  name: 'letta',
  detect: ({ name, head }) =>
    name.endsWith('.af') ||
    (/^\s*["{]/.test(head) &&
      /\\?"(?:blocks|core_memory)\\?"\s*:\s*\[/.test(head) &&
      /\\?"label\\?"\s*:/.test(head)),
  async *read({ text }) {
    for await (const { member, value } of jsonElements(text)) {
      if (member === 'blocks' || member === 'core_memory') yield* blockOf(value);
      if (member === 'agents' && isFields(value)) {
        const memory = isFields(value.memory) ? value.memory.blocks : undefined;
        for (const block of [...listOf(value.core_memory), ...listOf(memory), ...listOf(value.blocks)])
          yield* blockOf(block);
      }
    }
  },
};

function* blockOf(block: unknown): Generator<Candidate> {
  if (!isFields(block)) return;
  const [label, value] = [textOf(block.label), textOf(block.value)];
  if (label !== '' && value !== '')
    yield {
      key: keyPath('letta', label),
      value,
      tags: ['letta'],
      category: label === 'human' ? 'user_facts' : 'project_facts',
    };
}
