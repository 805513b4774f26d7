import type { EntryContent } from '../memory/entry.ts';
import { createScratch, type Scratch } from './accumulate.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { meaningOf, searchable } from './chunk.ts';
import { createDocuments, type Document, type DocumentHead, type Documents } from './documents.ts';
import { createTermIndex, type TermIndex } from './term-index.ts';
import { createSheetMaker, type TermSheet } from './term-sheet.ts';
import type { QuantisedVector } from './vectors/quantised.ts';
import { createVectorTable, type VectorTable } from './vectors/vector-table.ts';

/** A row as the image takes it. */
export interface ImageRow extends Omit<DocumentHead, 'expiresMs'> {
  id: Uint8Array;
  expiresMs: number | null;
}

/** One namespace's searchable rows, decrypted, in memory. */
export interface Image {
  readonly documents: Documents;
  readonly index: TermIndex;
  readonly catalogue: Catalogue;
  readonly scratch: Scratch;
  /** Takes a row in, in place of what it knew by that id. `content` is JSON as it was sealed. */
  put(row: ImageRow, content: Buffer): void;
  /** The same for a row whose terms are known by another image's numbers or an earlier reading. */
  putSheet(row: ImageRow, content: Uint8Array, sheet: TermSheet): void;
  remove(document: number): void;
  /** Whether a document is the one its id stands for now. */
  holds(document: number): boolean;
  find(id: Uint8Array): number | undefined;
  idOf(document: number): string;
  /** The ids of all documents in their order. */
  ids(): readonly string[];
  /** Takes the id of the next document from a snapshot. */
  addId(name: string): void;
  /** What the documents mean, where vectors are on and as far as they are made. */
  vectors(): VectorTable | undefined;
  /** One of another dimension than the others makes them worthless: the model behind them changed. */
  setVector(document: number, vector: QuantisedVector): void;
  dropVectors(): void;
  /** Documents that were replaced or removed and still take room. */
  readonly dead: number;
  readonly bytes: number;
}

const SHARDS = 64;
/** What a term costs outside the typed arrays: the string, its place in two maps. */
const TERM_BYTES = 140;
const ID_BYTES = 120;

export function createImage(): Image {
  const documents = createDocuments();
  const index = createTermIndex();
  const catalogue = createCatalogue(documents);
  const makeSheet = createSheetMaker(index.lexicon, index.labels);
  // Many small maps: one large one would stop everything for a moment each time it grows.
  const byId = Array.from({ length: SHARDS }, () => new Map<string, number>());
  const ids: string[] = [];
  let dead = 0;
  let vectors: VectorTable | undefined;

  const nameOf = (id: Uint8Array) => Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1');
  // An empty name is that of a damaged row; it is looked for like any other.
  const shardOf = (name: string) => byId[(name.charCodeAt(0) || 0) % SHARDS]!;

  function drop(document: number): void {
    documents.remove(document);
    index.remove(document);
    catalogue.remove(document);
    vectors?.clear(document);
    dead++;
  }

  function putSheet(row: ImageRow, content: Uint8Array, sheet: TermSheet): void {
    const name = nameOf(row.id);
    const shard = shardOf(name);
    const before = shard.get(name);
    const document = documents.add(row, content);
    index.add(sheet);
    ids.push(name);
    shard.set(name, document);
    if (before === undefined) return;
    // A fact that was only renewed or filed elsewhere means what it meant.
    const vector = vectors?.get(before);
    if (vector && meaningOf(documents.content(before)) === meaningOf(documents.content(document))) {
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
      const entry = searchable(row.kind, JSON.parse(content.toString('utf8')) as EntryContent);
      putSheet(row, content, makeSheet(entry));
    },
    putSheet,
    remove(document) {
      const name = ids[document]!;
      if (shardOf(name).get(name) !== document) return;
      shardOf(name).delete(name);
      drop(document);
    },
    holds: (document) => shardOf(ids[document]!).get(ids[document]!) === document,
    find(id) {
      const name = nameOf(id);
      return shardOf(name).get(name);
    },
    vectors: () => vectors,
    setVector(document, vector) {
      if (vectors?.dimensions !== vector.length) vectors = createVectorTable(vector.length);
      vectors.set(document, vector);
    },
    dropVectors() {
      vectors = undefined;
    },
    idOf: (document) => ids[document]!,
    ids: () => ids,
    addId(name) {
      shardOf(name).set(name, ids.length);
      ids.push(name);
    },
    get dead() {
      return dead;
    },
    get bytes() {
      const terms = (index.lexicon.size + index.labels.size) * TERM_BYTES;
      let lists = documents.texts.bytes;
      for (const list of documents.lists) lists += list.bytes;
      for (const list of index.lists) lists += list.bytes;
      return lists + terms + ids.length * ID_BYTES + (vectors?.bytes ?? 0) + catalogue.bytes;
    },
  };
}

/** A document as it is shown. */
export function readDocument(
  { documents }: Image,
  document: number,
  content = documents.content(document),
): Document {
  return { ...documents.head(document), ...content };
}
