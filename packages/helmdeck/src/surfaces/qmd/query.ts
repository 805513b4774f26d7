import { z } from 'zod';
import { cautionOf, freshnessView } from '../../memory/facts/freshness.ts';
import type { Memory } from '../../memory/memory.ts';
import { type NamedMemory, namedMemories } from '../../memory/spaces/enter-space.ts';
import { OWN_MEMORY, unknownSpace } from '../../memory/spaces/space.ts';
import { shownSource } from '../../memory/spaces/space-memory.ts';
import { factKeysOf, viewHits } from '../../recall/hit-view.ts';
import { RECALL_KINDS } from '../../recall/index/documents.ts';
import type { Hit } from '../../recall/search.ts';
import { type PlacedHit, searchTogether } from '../../recall/search-together.ts';
import { ageText } from '../../recall/text/age-text.ts';
import { chunkOf } from '../../recall/text/entry-text.ts';
import { documentOf, placed, SPACE_COLLECTION, withCaution } from './corpus-documents.ts';
import type { Corpus } from './qmd-services.ts';

const LIMITS = Object.freeze({ default: 20, max: 100, searches: 10, snippetChars: 2_000 });
const COLLECTION_PREFIX = 'helmdeck-';
const ALL = '*';

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
  collections: z
    .array(z.string())
    .optional()
    .describe(
      'Only these, like helmdeck-<category>; a shared space: space-<name>; all: helmdeck-*, space-*. Others are ignored',
    ),
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

/** The memories that collections name: one's own, unless they name spaces only. */
async function memoriesIn(
  { memory, spaces, identity }: Corpus,
  collections: readonly string[],
): Promise<NamedMemory[]> {
  const slugs = collections
    .filter((name) => name.startsWith(SPACE_COLLECTION))
    .map((name) => name.slice(SPACE_COLLECTION.length));
  if (slugs.length === 0) return [{ name: OWN_MEMORY, memory }];
  if (slugs.includes(OWN_MEMORY)) throw unknownSpace();
  const named = await namedMemories(
    spaces,
    identity,
    slugs.includes(ALL) ? ALL : [OWN_MEMORY, ...slugs].join(),
  );
  const wantsOwn = collections.some((name) => name.startsWith(COLLECTION_PREFIX));
  return named.filter(({ memory: { seat } }) => seat !== undefined || wantsOwn);
}

/** Searches facts and run records of the caller, or the spaces that they name, best first. */
export async function queryCorpus(corpus: Corpus, input: z.infer<typeof queryInput>): Promise<QueryHit[]> {
  const { recall, recallLog, memory, source } = corpus;
  const { searches = [], query, collections = [], minScore = 0 } = input;
  const limit = Math.min(LIMITS.max, Math.max(1, Math.trunc(input.limit ?? LIMITS.default)));
  const texts = [...searches.map((search) => search.query), ...(query === undefined ? [] : [query])];
  const queries = texts.filter((text) => text.trim() !== '');
  const wantedCollections = new Set(collections.filter((name) => name.startsWith(COLLECTION_PREFIX)));
  const where =
    wantedCollections.size === 0 || wantedCollections.has(COLLECTION_PREFIX + ALL)
      ? undefined
      : (document: Hit['document']) => wantedCollections.has(chunkOf(document.kind, document).collection);
  // Runs with the same text are one document, so the search asks for more than it returns.
  const request = { limit: limit * 2, kinds: RECALL_KINDS };
  const memories = await memoriesIn(corpus, collections);
  if (memories.length === 0) return [];
  const byDocid = new Map<string, FoundHit>();
  for (const text of queries.length > 0 ? new Set(queries) : ['']) {
    const startMs = performance.now();
    const found = await searchTogether(
      recall,
      memories,
      ({ seat }) => ({ ...request, text, where: seat ? undefined : where }),
      ({ hits }) => {
        const tookMs = performance.now() - startMs;
        // A client of QMD cannot tell weak hits from good ones, so they are dropped.
        const goodHits =
          text === '' ? hits : hits.filter(({ confident, score }) => confident && score >= minScore);
        if (text !== '')
          recallLog.add(memory.caller, {
            question: text,
            tookMs,
            source,
            hits: goodHits.filter(({ from }) => from.name === OWN_MEMORY),
          });
        return viewHits(goodHits, (hit) => ({
          document: hit.document,
          from: hit.from,
          view: viewOf(hit.from.memory, hit),
        }));
      },
    );
    for (const hit of found) {
      const { docid, score } = hit.view;
      if ((byDocid.get(docid)?.view.score ?? -1) < score) byDocid.set(docid, hit);
    }
  }
  const all = [...byDocid.values()];
  if (queries.length > 0) all.sort((a, b) => b.view.score - a.view.score);
  const returned = all.slice(0, limit);
  for (const from of memories) {
    const hits = returned.filter((hit) => hit.from === from);
    memory.recallCounts.add(from.memory.caller, factKeysOf(hits));
  }
  return returned.map(({ view }) => view);
}

interface FoundHit extends Pick<PlacedHit, 'document' | 'from'> {
  view: QueryHit;
}

function about({ seat }: Memory, kind: Hit['document']['kind']): string {
  if (seat) return `A note somebody stored in the space ${seat.slug}`;
  return kind === 'fact' ? 'A note somebody stored in Helmdeck' : 'A run that Helmdeck recorded';
}

function viewOf(memory: Memory, { document, score }: Hit): QueryHit {
  const { docid, collection, file, title } = placed(memory, documentOf(document.kind, document));
  const long = document.kind === 'fact' && document.value.length > LIMITS.snippetChars;
  const value = long ? `${document.value.slice(0, LIMITS.snippetChars).toWellFormed()}…` : document.value;
  const caution = document.kind === 'fact' ? cautionOf(memory, document) : undefined;
  const snippet = withCaution(chunkOf(document.kind, { ...document, value }).markdown, caution);
  const source = document.source && shownSource(memory, document.source);
  const from = source?.by ?? source?.client ?? source?.surface;
  const context = [
    about(memory, document.kind),
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
