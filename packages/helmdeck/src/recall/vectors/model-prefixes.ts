import type { EmbeddingPurpose } from './embedder.ts';

type Prefixes = Readonly<Record<EmbeddingPurpose, string>>;

const NONE: Prefixes = { query: '', document: '' };

/** Models that were trained with a prefix before each text and retrieve worse without it, according to their authors. */
const KNOWN: readonly { name: RegExp; prefixes: Prefixes }[] = [
  {
    name: /^nomic-embed-text\b/,
    prefixes: { query: 'search_query: ', document: 'search_document: ' },
  },
  {
    // Not the instruct variants, which expect a sentence about the task.
    name: /^(multilingual-)?e5-(small|base|large)(-v2)?$/,
    prefixes: { query: 'query: ', document: 'passage: ' },
  },
  {
    name: /^mxbai-embed-large\b/,
    prefixes: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
  },
];

/** The prefixes of a model; empty unless it is known to need some. */
export function prefixesOf(model: string): Prefixes {
  // `nomic-ai/nomic-embed-text-v1.5` on one server is `nomic-embed-text:latest` on another.
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN.find((known) => known.name.test(name))?.prefixes ?? NONE;
}
