import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { assertScope } from '../http/auth.ts';
import type { Sender } from '../mcp-message.ts';
import { FACT_TEMPLATE, SPACE_FACT_TEMPLATE } from './fact-uri.ts';
import type { McpServices } from './mcp-services.ts';
import { readableMemory, readableSpace } from './sender-memory.ts';

const MAX_VALUES = 100;
const NO_COMPLETION: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };

/** Completes a prefix with keys and categories of the sender's own memory, and with spaces and keys in one. */
export async function complete(
  services: McpServices,
  sender: Sender,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const { name, value } = argument;
  const isOfSpace = ref.type === 'ref/resource' && ref.uri === SPACE_FACT_TEMPLATE;
  const isKnown = ref.type !== 'ref/resource' || isOfSpace || ref.uri === FACT_TEMPLATE;
  const target = isKnown ? name : '';
  if (isOfSpace && target === 'slug') {
    assertScope(sender.identity, 'memory:read');
    const slugs = services
      .memory()
      .spaces.list(sender.identity)
      .map(({ space }) => space.slug);
    const fitting = slugs.filter((slug) => slug.startsWith(value));
    return completion(fitting.slice(0, MAX_VALUES), fitting.length > MAX_VALUES);
  }
  if (target !== 'key' && target !== 'category' && target !== 'topic') return NO_COMPLETION;
  const slug = context?.arguments?.slug;
  if (isOfSpace && slug === undefined) return NO_COMPLETION;
  const memory = isOfSpace ? await readableSpace(services, sender, slug!) : readableMemory(services, sender);
  // Clients send one request per keystroke, so the values come from the in-memory image.
  const { recall } = services.memory();
  if (target === 'key') {
    const page = await recall.list(memory, { prefix: value }, { limit: MAX_VALUES, sort: 'updated' });
    return completion(
      page.facts.map(({ key }) => key),
      page.next_cursor !== undefined,
    );
  }
  const { categories } = await recall.facets(memory, {});
  const names = categories.map(({ name }) => name).filter((name) => name.startsWith(value));
  return completion(names.sort().slice(0, MAX_VALUES), names.length > MAX_VALUES);
}

/** `total` is known only if these are all. */
function completion(values: string[], hasMore: boolean): CompleteResult {
  return { completion: { values, hasMore, ...(hasMore ? {} : { total: values.length }) } };
}
