import { querySentences } from './query-sentences.ts';

/** As much as the built-in model reads at once. What stands nearest to the end of a prompt is mostly what it is about. */
const MAX_CONTEXT_CHARS = 320;

/**
 * The texts of a query whose mean vector stands for it. A question that is asked within more text, as in a prompt, is
 * embedded by itself and with what is around it: the vector of the whole is about the rest, or about its beginning, where
 * a model cuts it; that of the question alone misses what "there" or "she" refers to.
 */
export function embeddedQuery(query: string): string[] {
  const sentences = querySentences(query);
  if (sentences.every(({ weight }) => weight === 1)) return [query];
  const asked = sentences.filter(({ weight }) => weight === 1).map(({ text }) => text.trim());
  return [asked.join(' '), query.trim().slice(-MAX_CONTEXT_CHARS).toWellFormed()];
}
