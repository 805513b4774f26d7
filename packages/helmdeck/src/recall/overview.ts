import type { Source } from '../memory/entry.ts';
import {
  type FactPage,
  orderOf,
  type PageRequest,
  pageInOrder,
  type SortableFact,
} from '../memory/facts/fact-pages.ts';
import { dueMs, EXPIRING_SOON_SECONDS, type Freshness } from '../memory/facts/freshness.ts';
import {
  type EmbeddingsState,
  type Facets,
  type FactOutline,
  type FactSpan,
  type NamedCount,
  RECENT_KEYS,
} from '../memory/facts/overview.ts';
import type { FactFilter } from '../memory/facts/read-facts.ts';
import type { RecallCountOf } from '../memory/facts/recall-count.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { type Image, readDocument } from './image/image.ts';
import { categoryLabel, fieldRange, projectLabel, tagLabel } from './index/document-terms.ts';
import { type BoundedHeap, createBoundedHeap } from './ranking/bounded-heap.ts';
import { createDocumentFilter, type Hit, wholeHit } from './search.ts';

/** The clock is read once per this many documents: reading it costs as much as visiting one. */
const YIELD_CHECK_DOCUMENTS = 256;

/** Calls `visit` with every live fact of an image; yields to the event loop in between. */
async function eachFact(image: Image, now: () => number, visit: (document: number) => void): Promise<void> {
  const { documents, keySources } = image;
  await keySources.complete();
  const yieldIfDue = createYielder();
  // Documents added during the walk are not in those columns yet.
  const { length } = documents;
  for (let document = 0; document < length; document++) {
    if (document % YIELD_CHECK_DOCUMENTS === 0) await yieldIfDue();
    if (documents.kind(document) === 'fact' && documents.isLive(document, now())) visit(document);
  }
}

/**
 * Counts facts that match a filter by category, tag, project, source and next key segment; `among`: only these
 * documents. A fact has one category, one source and at most one project, so these are counted without their own filter:
 * each count is what choosing that one instead would list.
 */
export async function facetsOf(
  image: Image,
  freshness: Freshness,
  filter: FactFilter,
  among?: ReadonlySet<number>,
): Promise<Facets> {
  const { index, keySources } = image;
  const { now } = freshness;
  const { prefix = '', category, tag, project } = filter;
  const isInTime = createTimeFilter(image, filter, freshness);
  const hasTags = tag === undefined ? undefined : createDocumentFilter(image, { tag }, now());
  const isInCategory = category === undefined ? undefined : createDocumentFilter(image, { category }, now());
  const isInProject = project === undefined ? undefined : createDocumentFilter(image, { project }, now());
  let total = 0;
  const categories = new Map<number, number>();
  const tags = new Map<number, number>();
  const projects = new Map<number, number>();
  const sources = new Map<string, number>();
  const prefixes = new Map<string, number>();
  const labelKinds = new Map<number, boolean>(); // reading a label takes longer than counting it
  const isProjectLabel = (label: number) => {
    const known = labelKinds.get(label);
    if (known !== undefined) return known;
    const isProject = index.labels.term(label).startsWith(projectLabel(''));
    labelKinds.set(label, isProject);
    return isProject;
  };
  await eachFact(image, now, (document) => {
    if ((among && !among.has(document)) || !isInTime(document)) return;
    const key = keySources.key(document);
    if (!key.startsWith(prefix) || hasTags?.(document) === false) return;
    const source = keySources.source(document);
    const inCategory = isInCategory?.(document) !== false;
    const inProject = isInProject?.(document) !== false;
    const fromSource = isFrom(source, filter);
    const documentTerms = index.termsOf(document);
    let at = fieldRange(documentTerms, 'labels').start; // the category's comes first, the project's last
    const last = documentTerms[documentTerms.length - 1]!;
    const hasProject = isProjectLabel(last);
    if (fromSource && inProject) count(categories, documentTerms[at]!);
    if (inCategory && inProject) count(sources, source.client ?? source.surface);
    if (inCategory && fromSource && hasProject) count(projects, last);
    if (!inCategory || !fromSource || !inProject) return;
    total++;
    const end = documentTerms.length - (hasProject ? 1 : 0);
    while (++at < end) count(tags, documentTerms[at]!);
    const slash = key.indexOf('/', prefix.length);
    if (slash >= 0) count(prefixes, key.slice(0, slash + 1));
  });
  return {
    total,
    categories: namedCounts(image, categories, categoryLabel('')),
    tags: namedCounts(image, tags, tagLabel('')),
    projects: namedCounts(image, projects, projectLabel('')),
    sources: listOf(sources),
    prefixes: listOf(prefixes),
  };
}

/** A predicate for the parts of a filter that are about time. */
function createTimeFilter(
  image: Image,
  { expiringWithinSeconds, updatedSinceMs = 0, due }: FactFilter,
  { review, now }: Freshness,
): (document: number) => boolean {
  const { documents } = image;
  const nowMs = now();
  const untilMs =
    expiringWithinSeconds === undefined ? Number.POSITIVE_INFINITY : nowMs + expiringWithinSeconds * 1000;
  return (document) =>
    documents.expiresMs(document) <= untilMs &&
    documents.updatedMs(document) >= updatedSinceMs &&
    (!due || nowMs >= dueMs(review, readDocument(image, document)));
}

const isFrom = ({ client, surface }: Source, { source }: FactFilter) =>
  source === undefined || client === source || surface === source;

function count<T>(counts: Map<T, number>, name: T): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Counts by label id as counts by name, without the prefix of the labels. */
const namedCounts = ({ index }: Image, counts: Map<number, number>, { length }: string): NamedCount[] =>
  [...counts]
    .map(([id, number]) => ({ name: index.labels.term(id).slice(length), count: number }))
    .sort(mostFirst);

const mostFirst = (a: NamedCount, b: NamedCount) => b.count - a.count || (a.name < b.name ? -1 : 1);
const listOf = (counts: Map<string, number>) =>
  [...counts].map(([name, number]) => ({ name, count: number })).sort(mostFirst);

interface Category {
  count: number;
  newest: BoundedHeap<{ key: string; seq: number }>;
}

/** Lists categories with their counts and newest keys. */
export async function outlineOf(image: Image, now: () => number): Promise<FactOutline> {
  const { documents, index, keySources } = image;
  const untilMs = now() + EXPIRING_SOON_SECONDS * 1000;
  const byLabel = new Map<number, Category>();
  let expiringSoon = 0;
  await eachFact(image, now, (document) => {
    const documentTerms = index.termsOf(document);
    const label = documentTerms[fieldRange(documentTerms, 'labels').start]!; // the category's comes first
    const category = byLabel.get(label) ?? emptyCategory();
    byLabel.set(label, category);
    category.count++;
    category.newest.offer({ key: keySources.key(document), seq: documents.seq(document) });
    if (documents.expiresMs(document) <= untilMs) expiringSoon++;
  });
  const categories = [...byLabel].map(([label, { count, newest }]) => ({
    name: index.labels.term(label).slice(categoryLabel('').length),
    count,
    recent_keys: newest.kept.sort((a, b) => b.seq - a.seq).map(({ key }) => key),
  }));
  return { categories, expiringSoon };
}

const emptyCategory = (): Category => ({
  count: 0,
  newest: createBoundedHeap(RECENT_KEYS, (a, b) => a.seq < b.seq),
});

/** Each doubling of the recalls of a fact moves it ahead in an overview as much as being this much newer. */
const NEWER_PER_DOUBLING_MS = 7 * 86_400_000;

/** The facts of an overview: those worth telling first, and what there is beyond them. */
export interface Overview {
  hits: Hit[];
  /** How many facts match. */
  total: number;
  categories: NamedCount[];
}

/** The facts that match a filter, newest and most recalled first. */
export async function overviewOf(
  image: Image,
  now: () => number,
  { prefix = '', category, tag }: Pick<FactFilter, 'prefix' | 'category' | 'tag'>,
  limit: number,
  countOf: RecallCountOf,
): Promise<Overview> {
  const { documents, index, keySources } = image;
  const matches = createDocumentFilter(image, { category, tag }, now());
  const best = createBoundedHeap<Ranked>(limit, isBehind);
  const categories = new Map<number, number>();
  let total = 0;
  await eachFact(image, now, (document) => {
    const key = keySources.key(document);
    if (!key.startsWith(prefix) || !matches(document)) return;
    total++;
    const documentTerms = index.termsOf(document);
    count(categories, documentTerms[fieldRange(documentTerms, 'labels').start]!); // the category's comes first
    const recalls = countOf(key, image.ids.startOf(document))?.count ?? 0;
    const rank = documents.updatedMs(document) + NEWER_PER_DOUBLING_MS * Math.log2(1 + recalls);
    best.offer({ document, rank, seq: documents.seq(document) });
  });
  const shown = best.kept.filter(({ document }) => !documents.isGone(document));
  return {
    hits: shown
      .sort((a, b) => (isBehind(a, b) ? 1 : -1))
      .map(({ document }) => wholeHit(readDocument(image, document), 0)),
    total,
    categories: namedCounts(image, categories, categoryLabel('')),
  };
}

interface Ranked {
  document: number;
  rank: number;
  seq: number;
}

const isBehind = (a: Ranked, b: Ranked) => a.rank < b.rank || (a.rank === b.rank && a.seq < b.seq);

interface Candidate extends SortableFact {
  document: number;
}

/** One page of the facts that match a filter, in the order the page asks for. */
export async function pageOf(
  image: Image,
  freshness: Freshness,
  filter: FactFilter,
  page: PageRequest,
): Promise<FactPage> {
  const { documents, keySources } = image;
  const { now } = freshness;
  const { compare, isAhead } = orderOf(page, freshness);
  const { prefix = '' } = filter;
  const isInTime = createTimeFilter(image, filter, freshness);
  const matches = createDocumentFilter(image, filter, now());
  const isReviewed = page.sort === 'due' || page.sort === 'recalled';
  const countOf = page.sort === 'recalled' ? page.countOf : undefined;
  const best = createBoundedHeap<Candidate>(page.limit + 1, (a, b) => compare(a, b) > 0);
  await eachFact(image, now, (document) => {
    const key = keySources.key(document);
    if (!isInTime(document) || !key.startsWith(prefix)) return;
    if (!isFrom(keySources.source(document), filter) || !matches(document)) return;
    const createdMs = documents.createdMs(document);
    const idStart = image.ids.startOf(document);
    if (filter.neverRecalled?.({ key, createdMs }, idStart) === false) return;
    const fields = isReviewed ? readDocument(image, document) : documents.header(document);
    const candidate = { ...fields, document, key, recalledCount: countOf?.(key, idStart)?.count };
    if (isAhead(candidate)) best.offer(candidate);
  });
  const shown = best.kept.sort(compare).filter(({ document }) => !documents.isGone(document));
  return pageInOrder(
    freshness,
    shown.map(({ document, recalledCount }) => ({ ...readDocument(image, document), recalledCount })),
    page,
  );
}

/** The oldest fact, the next expiry, and how many facts have a vector. */
export async function spanOf(
  image: Image,
  now: () => number,
  embeddings: Pick<EmbeddingsState, 'model' | 'state' | 'problem'> | undefined,
): Promise<FactSpan> {
  const { documents } = image;
  const vectors = image.vectors();
  let oldestMs = Number.POSITIVE_INFINITY;
  let nextExpiryMs = Number.POSITIVE_INFINITY;
  let facts = 0;
  let indexed = 0;
  await eachFact(image, now, (document) => {
    facts++;
    if (vectors?.has(document)) indexed++;
    oldestMs = Math.min(oldestMs, documents.createdMs(document));
    nextExpiryMs = Math.min(nextExpiryMs, documents.expiresMs(document));
  });
  return {
    oldestMs: facts === 0 ? undefined : oldestMs,
    nextExpiryMs: facts === 0 ? undefined : nextExpiryMs,
    embeddings: embeddings ? { ...embeddings, indexed, waiting: facts - indexed } : null,
  };
}
