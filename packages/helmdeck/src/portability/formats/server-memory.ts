import type { ForeignFormat } from '../candidate.ts';
import { keyPath } from '../content-key.ts';
import { linesOf } from '../reading/text-stream.ts';
import { isFields, textOf, textsOf } from './json-fields.ts';

/** The graph of `@modelcontextprotocol/server-memory`: entities with observations, and relations, as JSON Lines. */
export const serverMemory: ForeignFormat = {
  name: 'server-memory',
  detect: ({ head }) => /^\s*\{[^\n]*"type"\s*:\s*"(?:entity|relation)"/.test(head),
  async *read({ text }) {
    let number = 0;
    for await (const line of linesOf(text)) {
      number++;
      if (line.trim() === '') continue;
      const item = parsed(line);
      if (!isFields(item)) {
        yield { omitted: `line ${number} is not JSON` };
      } else if (item.type === 'entity') {
        const name = textOf(item.name) || textOf(item.entityName);
        const observations = textsOf(item.observations);
        if (name === '' || observations.length === 0) continue;
        yield {
          key: keyPath('entities', textOf(item.entityType), name),
          value: observations.map((each) => `${name}: ${each}`).join('\n'),
          tags: ['server-memory'],
        };
      } else if (item.type === 'relation') {
        const from = textOf(item.from) || textOf(item.from_id);
        const to = textOf(item.to) || textOf(item.to_id);
        const relation = textOf(item.relationType) || textOf(item.relation_type);
        if (from === '' || to === '' || relation === '') continue;
        yield {
          key: keyPath('relations', from, relation, to),
          value: `${from} ${relation.replaceAll('_', ' ')} ${to}`,
          tags: ['server-memory'],
        };
      }
    }
  },
};

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
