import type { EntryContent } from '../../memory/entry.ts';
import { createDocumentIds, type DocumentIds } from '../index/document-ids.ts';
import { createTermExtractor, type DocumentTerms } from '../index/document-terms.ts';
import { createDocumentVectors, type DocumentVectors } from '../index/document-vectors.ts';
import { createDocuments, type Document, type DocumentHeader, type Documents } from '../index/documents.ts';
import { createKeySourceColumns, type KeySourceColumns } from '../index/key-source-columns.ts';
import type { PagedArray } from '../index/paged-array.ts';
import { createTermIndex, type TermIndex } from '../index/term-index.ts';
import { createScratch, type Scratch } from '../ranking/accumulate.ts';
import { embeddingText, indexedContent } from '../text/entry-text.ts';
import type { QuantisedVector } from '../vectors/quantised.ts';
import { createVectorTable, type VectorTable } from '../vectors/vector-table.ts';

/** The RAM copy of a namespace that recall searches: its rows decrypted and indexed. */
export interface Image {
  readonly documents: Documents;
  readonly index: TermIndex;
  readonly keySources: KeySourceColumns;
  /** What each document is about, by its words. */
  readonly meanings: DocumentVectors;
  /** The score buffers of a search. */
  readonly scratch: Scratch;
  /** Adds a row, replacing the document with that id. `content` is JSON as it was sealed. */
  put(row: ImageRow, content: Buffer): void;
  /** Like `put`, for a row whose terms are already extracted. */
  putTerms(row: ImageRow, content: Uint8Array, documentTerms: DocumentTerms): void;
  remove(document: number): void;
  /** Whether a document is still the current one for its id. */
  holds(document: number): boolean;
  find(id: Uint8Array): number | undefined;
  readonly ids: DocumentIds;
  /** All columns but the text pages, for a snapshot. */
  readonly lists: readonly PagedArray[];
  /** The vectors of documents, as far as they are computed; absent while embeddings are off. */
  vectors(): VectorTable | undefined;
  /** A vector of another dimension replaces the whole table: the model changed. A long text also has one per window. */
  setVector(document: number, vector: QuantisedVector, windows?: readonly QuantisedVector[]): void;
  /** The vectors of a long document's windows; undefined for the others. */
  windowsOf(document: number): readonly QuantisedVector[] | undefined;
  dropVectors(): void;
  /** Documents that were replaced or removed and still occupy a number. */
  readonly dead: number;
  readonly bytes: number;
}

/** The plaintext columns of a row to index. */
export interface ImageRow extends Omit<DocumentHeader, 'expiresMs'> {
  id: Uint8Array;
  expiresMs: number | null;
}

export function createImage(): Image {
  const documents = createDocuments();
  const index = createTermIndex();
  const keySources = createKeySourceColumns(documents);
  const meanings = createDocumentVectors(index, documents);
  const extractTerms = createTermExtractor(index.lexicon, index.labels);
  const ids = createDocumentIds();
  const lists = [...documents.lists, ...ids.lists, ...index.lists];
  let dead = 0;
  let vectors: VectorTable | undefined;
  const windows = new Map<number, readonly QuantisedVector[]>();
  let windowBytes = 0;

  function setWindows(document: number, added: readonly QuantisedVector[] = []): void {
    for (const window of windows.get(document) ?? []) windowBytes -= window.length;
    for (const window of added) windowBytes += window.length;
    if (added.length > 0) windows.set(document, added);
    else windows.delete(document);
  }

  function drop(document: number): void {
    ids.remove(document);
    documents.remove(document);
    index.remove(document);
    keySources.remove(document);
    vectors?.clear(document);
    setWindows(document);
    dead++;
  }

  function dropVectors(): void {
    vectors = undefined;
    windows.clear();
    windowBytes = 0;
  }

  function putTerms(row: ImageRow, content: Uint8Array, documentTerms: DocumentTerms): void {
    const before = ids.find(row.id);
    const document = documents.add(row, content);
    index.add(documentTerms);
    ids.add(row.id);
    if (before === undefined) return;
    // A fact that was only renewed or re-filed keeps its vector.
    const vector = vectors?.get(before);
    if (vector && embeddingText(documents.content(before)) === embeddingText(documents.content(document))) {
      vectors!.set(document, vector);
      setWindows(document, windows.get(before));
    }
    drop(before);
  }

  return {
    documents,
    index,
    keySources,
    meanings,
    scratch: createScratch(),
    put(row, content) {
      const entry = indexedContent(row.kind, JSON.parse(content.toString('utf8')) as EntryContent);
      putTerms(row, content, extractTerms(entry));
    },
    putTerms,
    remove(document) {
      if (!documents.isGone(document)) drop(document);
    },
    holds: (document) => !documents.isGone(document),
    find: ids.find,
    ids,
    lists,
    vectors: () => vectors,
    setVector(document, vector, ofWindows) {
      if (vectors?.dimensions !== vector.length) {
        dropVectors();
        vectors = createVectorTable(vector.length);
      }
      vectors.set(document, vector);
      setWindows(document, ofWindows);
    },
    windowsOf: (document) => windows.get(document),
    dropVectors,
    get dead() {
      return dead;
    },
    get bytes() {
      let bytes = documents.texts.bytes;
      for (const list of lists) bytes += list.bytes;
      return bytes + (vectors?.bytes ?? 0) + windowBytes + keySources.bytes + meanings.bytes;
    },
  };
}

/** A document as search returns it. */
export function readDocument(
  { documents }: Image,
  document: number,
  content = documents.content(document),
): Document {
  return { ...documents.header(document), ...content };
}
