import type { Source } from '../../memory/entry.ts';

/** What the text needs of a result of `helmdeck.memory_recall`. */
interface RecallResult {
  key: string;
  space?: string;
  value: string;
  snippet: string;
  truncated?: boolean;
  source?: Source;
  age: string;
  caution?: string;
}

/** A longer text would waste the context window of a model; all results are in the structured output. */
const MAX_TEXT_CHARS = 8_000;
/** A longer value is shown in full only by its key. */
const MAX_LISTED_VALUE_CHARS = 1_000;
const MAX_NAMED_CATEGORIES = 8;
const NOTHING = 'Nothing that fits is known.';
const NO_SUCH_KEY = 'No fact has this key.';
const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/** What the text needs of the output of `helmdeck.memory_recall`. */
interface Recalled {
  results: readonly RecallResult[];
  near_keys?: readonly string[];
  total?: number;
  categories?: readonly { name: string; count: number }[];
}

/** Results as a model reads them, one item each: key and value, how old it is and where it came from. */
export function recallText(recalled: Recalled, isByKey: boolean): string {
  const { results, near_keys } = recalled;
  if (near_keys)
    return near_keys.length === 0 ? NO_SUCH_KEY : `${NO_SUCH_KEY} Near: ${near_keys.join(', ')}.`;
  if (results.length === 0) return NOTHING;
  let text = '';
  for (const [at, result] of results.entries()) {
    const item = itemOf(result, isByKey);
    if (at > 0 && text.length + item.length > MAX_TEXT_CHARS)
      return `${text}(${results.length - at} more: ask more precisely)`;
    text += `${item}\n`;
  }
  return `${text}${restOf(recalled)}`.trimEnd();
}

/** What an overview leaves out, and how to see it. */
function restOf({ results, total = 0, categories }: Recalled): string {
  if (!categories) return '';
  const names = categories.slice(0, MAX_NAMED_CATEGORIES).map(({ name, count }) => `${name} ${count}`);
  return `(${results.length} of ${total} facts; categories: ${names.join(', ')}. For the others give a query, category or prefix)`;
}

function itemOf(result: RecallResult, isByKey: boolean): string {
  const { key, space, value, snippet, truncated, source, age, caution } = result;
  const isExcerpt = truncated || (!isByKey && value.length > MAX_LISTED_VALUE_CHARS);
  const shown = isExcerpt ? `${snippet} [excerpt: recall this key for all of it]` : value;
  const from = source && (source.client ?? source.surface);
  const about = from === undefined ? age : `${age}, ${from}`;
  const label = space === undefined ? '' : `${space}: `;
  const item = `- ${label}${key}: ${shown} (${caution === undefined ? about : `${about}; ${caution}`})`;
  // Further lines are indented, so that no line of a value can pass for another item.
  return item.replaceAll(LINE_BREAK, '\n  ');
}
