import type { EntryContent } from '../../memory/entry.ts';
import { createDocumentIds, type DocumentIds } from '../index/document-ids.ts';
import { createTermExtractor, type DocumentTerms } from '../index/document-terms.ts';
import { createDocuments, type Document, type DocumentHeader, type Documents } from '../index/documents.ts';
import { createKeySourceColumns, type KeySourceColumns } from '../index/key-source-columns.ts';
import type { PagedArray } from '../index/paged-array.ts';
import { createTermIndex, type TermIndex } from '../index/term-index.ts';
import { createScratch, type Scratch } from '../ranking/accumulate.ts';
import { embeddingText, indexedContent } from '../text/chunk.ts';
import type { QuantisedVector } from '../vectors/quantised.ts';
import { createVectorTable, type VectorTable } from '../vectors/vector-table.ts';

/** A row as the image takes it. */
export interface ImageRow extends Omit<DocumentHeader, 'expiresMs'> {
  id: Uint8Array;
  expiresMs: number | null;
}

/** One namespace's searchable rows, decrypted, in memory. */
export interface Image {
  readonly documents: Documents;
  readonly index: TermIndex;
  readonly catalogue: KeySourceColumns;
  readonly scratch: Scratch;
  /** Takes a row in, in place of what it knew by that id. `content` is JSON as it was sealed. */
  put(row: ImageRow, content: Buffer): void;
  /** The same for a row whose terms are known by another image's numbers or an earlier reading. */
  putSheet(row: ImageRow, content: Uint8Array, sheet: DocumentTerms): void;
  remove(document: number): void;
  /** Whether a document is the one its id stands for now. */
  holds(document: number): boolean;
  find(id: Uint8Array): number | undefined;
  readonly ids: DocumentIds;
  /** Everything it is made of but the pages of text, for a snapshot. */
  readonly lists: readonly PagedArray[];
  /** What the documents mean, where vectors are on and as far as they are made. */
  vectors(): VectorTable | undefined;
  /** One of another dimension than the others makes them worthless: the model behind them changed. */
  setVector(document: number, vector: QuantisedVector): void;
  dropVectors(): void;
  /** Documents that were replaced or removed and still take room. */
  readonly dead: number;
  readonly bytes: number;
}

export function createImage(): Image {
  const documents = createDocuments();
  const index = createTermIndex();
  const catalogue = createKeySourceColumns(documents);
  const makeSheet = createTermExtractor(index.lexicon, index.labels);
  const ids = createDocumentIds();
  const lists = [...documents.lists, ...ids.lists, ...index.lists];
  let dead = 0;
  let vectors: VectorTable | undefined;

  function drop(document: number): void {
    ids.remove(document);
    documents.remove(document);
    index.remove(document);
    catalogue.remove(document);
    vectors?.clear(document);
    dead++;
  }

  function putSheet(row: ImageRow, content: Uint8Array, sheet: DocumentTerms): void {
    const before = ids.find(row.id);
    const document = documents.add(row, content);
    index.add(sheet);
    ids.add(row.id);
    if (before === undefined) return;
    // A fact that was only renewed or filed elsewhere means what it meant.
    const vector = vectors?.get(before);
    if (vector && embeddingText(documents.content(before)) === embeddingText(documents.content(document))) {
      vectors!.set(document, vector);
    }
    drop(before);
  }

  return {
    documents,
    index,
    catalogue,
    scratch: createScratch(),
    put(row, content) {
      const entry = indexedContent(row.kind, JSON.parse(content.toString('utf8')) as EntryContent);
      putSheet(row, content, makeSheet(entry));
    },
    putSheet,
    remove(document) {
      if (!documents.isGone(document)) drop(document);
    },
    holds: (document) => !documents.isGone(document),
    find: ids.find,
    ids,
    lists,
    vectors: () => vectors,
    setVector(document, vector) {
      if (vectors?.dimensions !== vector.length) vectors = createVectorTable(vector.length);
      vectors.set(document, vector);
    },
    dropVectors() {
      vectors = undefined;
    },
    get dead() {
      return dead;
    },
    get bytes() {
      let bytes = documents.texts.bytes;
      for (const list of lists) bytes += list.bytes;
      return bytes + (vectors?.bytes ?? 0) + catalogue.bytes;
    },
  };
}

/** A document as it is shown. */
export function readDocument(
  { documents }: Image,
  document: number,
  content = documents.content(document),
): Document {
  return { ...documents.header(document), ...content };
}
