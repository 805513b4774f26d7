import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { myMemory } from '../../memory/overview.ts';
import { walkFacts } from '../../memory/read-facts.ts';
import type { Sender } from '../mcp-message.ts';
import { readableMemory } from './callers-memory.ts';
import { FACT_TEMPLATE } from './fact-uri.ts';
import type { McpServices } from './mcp-services.ts';

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
  const begins = (text: string) => text.startsWith(value);
  if (what !== 'key') {
    const { categories } = await myMemory(memory);
    return first(categories.map((category) => category.name).filter(begins));
  }
  const keys: string[] = [];
  for await (const fact of walkFacts(memory)) if (begins(fact.key)) keys.push(fact.key);
  return first(keys);
}

function first(found: readonly string[]): CompleteResult {
  const values = found.slice(0, MAX_VALUES);
  return { completion: { values, total: found.length, hasMore: found.length > MAX_VALUES } };
}
