import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { type DocumentTerms, fieldRange, TERMS_OFFSET } from '../index/document-terms.ts';
import type { StringTable } from '../index/string-table.ts';
import { createImage, type Image } from './image.ts';

/** The same image without what is gone: neither dead documents nor words that only they had. */
export async function compacted(image: Image, nowMs: number): Promise<Image> {
  const fresh = createImage();
  const nextTurn = createYielder();
  const terms = renumbering(image.index.lexicon, fresh.index.lexicon);
  const labels = renumbering(image.index.labels, fresh.index.labels);
  for (let document = 0; document < image.documents.length; document++) {
    if (!image.documents.isLive(document, nowMs)) continue;
    const header = image.documents.header(document);
    const id = image.ids.idOf(document);
    const sheet = renumbered(image.index.termsOf(document), terms, labels);
    fresh.putSheet({ ...header, id }, image.documents.contentBytes(document), sheet);
    const vector = image.vectors()?.get(document);
    if (vector) fresh.setVector(fresh.documents.length - 1, vector);
    await nextTurn();
  }
  return fresh;
}

/** How many documents there are to leave out: replaced, removed or expired. */
export function goneFrom({ documents }: Image, nowMs: number): number {
  let gone = 0;
  for (let document = 0; document < documents.length; document++) {
    if (!documents.isLive(document, nowMs)) gone++;
  }
  return gone;
}

type Renumber = (id: number) => number;

/** Gives a term its number in the new lexicon when it is first met. */
function renumbering(from: StringTable, to: StringTable): Renumber {
  const known = new Uint32Array(from.size);
  return (id) => {
    if (known[id] === 0) known[id] = to.add(from.term(id)) + 1;
    return known[id]! - 1;
  };
}

function renumbered(sheet: DocumentTerms, terms: Renumber, labels: Renumber): DocumentTerms {
  const fresh = sheet.slice();
  const { start: firstLabel } = fieldRange(sheet, 'labels');
  for (let at = TERMS_OFFSET; at < firstLabel; at++) fresh[at] = terms(sheet[at]!);
  for (let at = firstLabel; at < sheet.length; at++) fresh[at] = labels(sheet[at]!);
  return fresh;
}
