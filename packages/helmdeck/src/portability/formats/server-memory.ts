import type { ForeignFormat } from '../candidate.ts';
import { linesOf } from '../reading/text-stream.ts';
import { entityFact, relationFact } from './graph-facts.ts';
import { isFields, textOf } from './json-fields.ts';

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
        const observations = stringsOf(item.observations);
        if (name === '') continue;
        yield {
          ...entityFact({ name, entityType: textOf(item.entityType), observations }),
          isKeyGiven: true,
        };
      } else if (item.type === 'relation') {
        const from = textOf(item.from) || textOf(item.from_id);
        const to = textOf(item.to) || textOf(item.to_id);
        const relationType = textOf(item.relationType) || textOf(item.relation_type);
        if (from === '' || to === '' || relationType === '') continue;
        yield { ...relationFact({ from, to, relationType }), isKeyGiven: true };
      }
    }
  },
};

/** As they are: an entity keeps white space in its observations. */
const stringsOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
