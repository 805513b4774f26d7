import { z } from 'zod';
import { cautionOf, freshnessView } from '../../memory/facts/freshness.ts';
import type { Memory } from '../../memory/memory.ts';
import { factKeysOf, viewHits } from '../../recall/hit-view.ts';
import { RECALL_KINDS } from '../../recall/index/documents.ts';
import type { Hit } from '../../recall/search.ts';
import { ageText } from '../../recall/text/age-text.ts';
import { chunkOf } from '../../recall/text/entry-text.ts';
import { documentOf, withCaution } from './corpus-documents.ts';
import type { Corpus } from './qmd-services.ts';

const LIMITS = Object.freeze({ default: 20, max: 100, searches: 10, snippetChars: 2_000 });
const COLLECTION_PREFIX = 'helmdeck-';

export const queryInput = z.looseObject({
  searches: z
    .array(
      z.looseObject({
        type: z
          .enum(['lex', 'vec', 'hyde'])
          .optional()
          .describe('A hint; every search goes by words and meaning'),
        query: z.string(),
      }),
    )
    .max(LIMITS.searches)
    .optional()
    .describe('Searches whose results are merged'),
  query: z.string().optional().describe('A few words; nothing at all means the newest'),
  limit: z.number().optional().describe(`Default ${LIMITS.default}, at most ${LIMITS.max}`),
  collections: z.array(z.string()).optional().describe('Only these; names that are not ours are ignored'),
  minScore: z.number().optional().describe('0 to 1'),
  rerank: z.boolean().optional().describe('Accepted, not needed'),
  intent: z.string().optional().describe('Accepted, not needed'),
});

export const queryHit = z.object({
  docid: z.string(),
  score: z.number(),
  snippet: z.string(),
  collection: z.string(),
  file: z.string(),
  title: z.string(),
  context: z.string(),
  line: z.int(),
  start_line: z.int(),
  end_line: z.int(),
  confirmed_at: z.string().optional(),
  review_by: z.string().optional(),
  stale: z.literal(true).optional(),
});

type QueryHit = z.infer<typeof queryHit>;

/** Searches the caller's corpus, facts and run records, best first. */
export async function queryCorpus(
  { recall, recallLog, memory, source }: Corpus,
  input: z.infer<typeof queryInput>,
): Promise<QueryHit[]> {
  const { searches = [], query, collections = [], minScore = 0 } = input;
  const limit = Math.min(LIMITS.max, Math.max(1, Math.trunc(input.limit ?? LIMITS.default)));
  const texts = [...searches.map((search) => search.query), ...(query === undefined ? [] : [query])];
  const queries = texts.filter((text) => text.trim() !== '');
  const wantedCollections = new Set(collections.filter((name) => name.startsWith(COLLECTION_PREFIX)));
  const where =
    wantedCollections.size === 0
      ? undefined
      : (document: Hit['document']) => wantedCollections.has(chunkOf(document.kind, document).collection);
  // Runs with the same text are one document, so the search asks for more than it returns.
  const request = { limit: limit * 2, kinds: RECALL_KINDS, where };
  const byDocid = new Map<string, FoundHit>();
  for (const text of queries.length > 0 ? new Set(queries) : ['']) {
    const startMs = performance.now();
    const found = await recall.search(memory, { ...request, text }, ({ hits }) => {
      const tookMs = performance.now() - startMs;
      // A client of QMD cannot tell weak hits from good ones, so they are dropped.
      const goodHits =
        text === '' ? hits : hits.filter(({ confident, score }) => confident && score >= minScore);
      if (text !== '') recallLog.add(memory.caller, { question: text, tookMs, source, hits: goodHits });
      return viewHits(goodHits, (hit) => ({ document: hit.document, view: viewOf(memory, hit) }));
    });
    for (const hit of found) {
      const { docid, score } = hit.view;
      if ((byDocid.get(docid)?.view.score ?? -1) < score) byDocid.set(docid, hit);
    }
  }
  const all = [...byDocid.values()];
  if (queries.length > 0) all.sort((a, b) => b.view.score - a.view.score);
  const returned = all.slice(0, limit);
  memory.recallCounts.add(memory.caller, factKeysOf(returned));
  return returned.map(({ view }) => view);
}

interface FoundHit extends Pick<Hit, 'document'> {
  view: QueryHit;
}

function viewOf(memory: Memory, { document, score }: Hit): QueryHit {
  const { docid, collection, file, title } = documentOf(document.kind, document);
  const long = document.kind === 'fact' && document.value.length > LIMITS.snippetChars;
  const value = long ? `${document.value.slice(0, LIMITS.snippetChars).toWellFormed()}…` : document.value;
  const caution = document.kind === 'fact' ? cautionOf(memory, document) : undefined;
  const snippet = withCaution(chunkOf(document.kind, { ...document, value }).markdown, caution);
  const from = document.source?.client ?? document.source?.surface;
  const context = [
    document.kind === 'fact' ? 'A note somebody stored in Helmdeck' : 'A run that Helmdeck recorded',
    ageText(memory.now() - document.updatedMs),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(caution === undefined ? [] : [caution]),
  ].join(', ');
  const end_line = snippet.split('\n').length;
  return {
    docid,
    score,
    snippet,
    collection,
    file,
    title,
    context,
    line: 1,
    start_line: 1,
    end_line,
    ...(document.kind === 'fact' ? freshnessView(memory, document) : {}),
  };
}
