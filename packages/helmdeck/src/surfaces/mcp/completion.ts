import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import type { Sender } from '../mcp-message.ts';
import { FACT_TEMPLATE } from './fact-uri.ts';
import type { McpServices } from './mcp-services.ts';
import { readableMemory } from './sender-memory.ts';

const MAX_VALUES = 100;
const NOTHING: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };

/** Keys and categories of the sender's own memory that begin with what was typed. */
export async function complete(
  services: McpServices,
  sender: Sender,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  const { name, value } = argument;
  const what = ref.type === 'ref/resource' ? (ref.uri === FACT_TEMPLATE ? name : '') : name;
  if (what !== 'key' && what !== 'category' && what !== 'topic') return NOTHING;
  const memory = readableMemory(services, sender);
  // Asked with every key that is typed, so of what search holds in memory.
  const { recall } = services.memory();
  if (what === 'key') {
    const page = await recall.list(memory, { prefix: value }, { limit: MAX_VALUES, sort: 'updated' });
    return answer(
      page.facts.map(({ key }) => key),
      page.next_cursor !== undefined,
    );
  }
  const { categories } = await recall.facets(memory, '');
  const names = categories.map(({ name }) => name).filter((name) => name.startsWith(value));
  return answer(names.sort().slice(0, MAX_VALUES), names.length > MAX_VALUES);
}

/** How many there are in all is told where these are all. */
function answer(values: string[], hasMore: boolean): CompleteResult {
  return { completion: { values, hasMore, ...(hasMore ? {} : { total: values.length }) } };
}
