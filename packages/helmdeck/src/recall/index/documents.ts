import type { EntryContent } from '../../memory/entry.ts';
import { bytes, doubles, ints } from './paged-array.ts';
import { createTextPages } from './text-pages.ts';

// The document table of an image: for each document number the plaintext columns of its row and its content.

/** The kinds that can be searched, in the order of their numbers in the image. */
export const RECALL_KINDS = ['fact', 'audit.pack', 'audit.pipeline'] as const;
export type RecallKind = (typeof RECALL_KINDS)[number];
/** Those that are run records, in a namespace and an image of their own. */
export const RUN_RECALL_KINDS = ['audit.pack', 'audit.pipeline'] as const satisfies readonly RecallKind[];

/** The plaintext columns of a row. */
export interface DocumentHeader {
  kind: RecallKind;
  seq: number;
  rev: number;
  createdMs: number;
  updatedMs: number;
  expiresMs: number;
}

/** A document as search returns it. */
export type Document = DocumentHeader & EntryContent;

/** Stands for a row without an expiry. Rows of the kinds above always have one, but the type allows `null`. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Columns of numbers in paged arrays, and the content of each row as JSON in UTF-8. */
export function createDocuments() {
  const kinds = bytes();
  const seqs = doubles();
  const revs = ints();
  const created = doubles();
  const updated = doubles();
  /** 0 for a removed document, so that it reads as expired everywhere. */
  const expires = doubles();
  const texts = createTextPages();

  return {
    get length() {
      return kinds.length;
    },
    add(
      header: Omit<DocumentHeader, 'expiresMs'> & { expiresMs: number | null },
      content: Uint8Array,
    ): number {
      kinds.push(RECALL_KINDS.indexOf(header.kind));
      seqs.push(header.seq);
      revs.push(header.rev);
      created.push(header.createdMs);
      updated.push(header.updatedMs);
      expires.push(header.expiresMs ?? FOREVER);
      texts.add(content);
      return kinds.length - 1;
    },
    remove(document: number): void {
      expires.set(document, 0);
      texts.wipe(document);
    },
    /** Removed or replaced: its text is wiped. */
    isGone: (document: number) => expires.get(document) === 0,
    isLive: (document: number, nowMs: number) => expires.get(document) > nowMs,
    seq: (document: number) => seqs.get(document),
    createdMs: (document: number) => created.get(document),
    updatedMs: (document: number) => updated.get(document),
    expiresMs: (document: number) => expires.get(document),
    /** Its index in `RECALL_KINDS`. */
    kindNumber: (document: number) => kinds.get(document),
    kind: (document: number) => RECALL_KINDS[kinds.get(document)]!,
    content: (document: number): EntryContent => JSON.parse(texts.text(document)),
    contentBytes: (document: number) => texts.get(document),
    header: (document: number): DocumentHeader => ({
      kind: RECALL_KINDS[kinds.get(document)]!,
      seq: seqs.get(document),
      rev: revs.get(document),
      createdMs: created.get(document),
      updatedMs: updated.get(document),
      expiresMs: expires.get(document),
    }),
    texts,
    /** All columns but the text pages, for a snapshot. */
    lists: [kinds, seqs, revs, created, updated, expires, texts.places],
  };
}

export type Documents = ReturnType<typeof createDocuments>;
