import type { EmbeddingPurpose } from './embedder.ts';

type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

const NONE: Prefixes = { query: '', document: '' };

/** Models whose makers say that they were trained with a word in front, and that results are worse without it. */
const KNOWN: readonly { name: RegExp; prefixes: Prefixes }[] = [
  {
    name: /^nomic-embed-text\b/,
    prefixes: { query: 'search_query: ', document: 'search_document: ' },
  },
  {
    // Not the instruct ones, which want a sentence about the task.
    name: /^(multilingual-)?e5-(small|base|large)(-v2)?$/,
    prefixes: { query: 'query: ', document: 'passage: ' },
  },
  {
    name: /^mxbai-embed-large\b/,
    prefixes: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
  },
];

/** What a model wants in front of a text; nothing for a model that is not known to want something. */
export function prefixesOf(model: string): Prefixes {
  // `nomic-ai/nomic-embed-text-v1.5` on one server is `nomic-embed-text:latest` on another.
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN.find((known) => known.name.test(name))?.prefixes ?? NONE;
}
