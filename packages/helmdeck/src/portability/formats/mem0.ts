import type { ForeignFormat } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { jsonElements } from '../reading/json-elements.ts';
import { isFields, textOf, textsOf, timeOf } from './json-fields.ts';

/** Memories of mem0, as its API lists them. */
export const mem0: ForeignFormat = {
  name: 'mem0',
  detect: ({ head }) =>
    /^\s*[[{]/.test(head) &&
    /"memory"\s*:\s*"/.test(head) &&
    /"(?:hash|user_id|agent_id|results)"\s*:/.test(head),
  async *read({ text }) {
    for await (const { value } of jsonElements(text)) {
      if (!isFields(value)) continue;
      const memory = textOf(value.memory);
      if (memory === '') continue;
      const metadata = isFields(value.metadata) ? value.metadata : {};
      const categories = [...textsOf(value.categories), textOf(metadata.category)].filter(Boolean);
      yield {
        key: contentKey(keyPath('mem0', categories[0] ?? ''), memory),
        value: memory,
        tags: [...new Set(['mem0', ...categories])],
        createdMs: timeOf(value.created_at),
      };
    }
  },
};
