import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { type DocumentTerms, fieldRange, TERMS_OFFSET } from '../index/document-terms.ts';
import type { StringTable } from '../index/string-table.ts';
import { createImage, type Image } from './image.ts';

/** Copies an image without dead documents and without the terms that only they had. */
export async function compacted(image: Image, nowMs: number): Promise<Image> {
  const result = createImage();
  await append(result, image, nowMs);
  return result;
}

/** Adds the live documents of another image, the same way. */
export async function append(result: Image, image: Image, nowMs: number): Promise<void> {
  const yieldIfDue = createYielder();
  const terms = renumbering(image.index.lexicon, result.index.lexicon);
  const labels = renumbering(image.index.labels, result.index.labels);
  for (let document = 0; document < image.documents.length; document++) {
    if (!image.documents.isLive(document, nowMs)) continue;
    const header = image.documents.header(document);
    const id = image.ids.idOf(document);
    const documentTerms = renumbered(image.index.termsOf(document), terms, labels);
    result.putTerms({ ...header, id }, image.documents.contentBytes(document), documentTerms);
    const vector = image.vectors()?.get(document);
    if (vector) result.setVector(result.documents.length - 1, vector, image.windowsOf(document));
    const pause = yieldIfDue();
    if (pause) await pause;
  }
}

/** Counts the documents that compaction would drop: replaced, removed or expired. */
export function countExpired({ documents }: Image, nowMs: number): number {
  let gone = 0;
  for (let document = 0; document < documents.length; document++) {
    if (!documents.isLive(document, nowMs)) gone++;
  }
  return gone;
}

type Renumber = (id: number) => number;

/** Maps term ids of one table to another, adding each term on first use. */
function renumbering(from: StringTable, to: StringTable): Renumber {
  const known = new Uint32Array(from.size);
  return (id) => {
    if (known[id] === 0) known[id] = to.add(from.term(id)) + 1;
    return known[id]! - 1;
  };
}

function renumbered(documentTerms: DocumentTerms, terms: Renumber, labels: Renumber): DocumentTerms {
  const result = documentTerms.slice();
  const { start: firstLabel } = fieldRange(documentTerms, 'labels');
  for (let at = TERMS_OFFSET; at < firstLabel; at++) result[at] = terms(documentTerms[at]!);
  for (let at = firstLabel; at < documentTerms.length; at++) result[at] = labels(documentTerms[at]!);
  return result;
}
