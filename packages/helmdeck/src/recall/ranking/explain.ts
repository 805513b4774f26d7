import type { Image } from '../image/image.ts';
import { FIELDS, type Field, fieldRange } from '../index/document-terms.ts';
import { neighbourhoodOf } from './proximity.ts';
import type { Alternative, Query } from './query.ts';

/** Why a document was found. */
export interface Why {
  terms: {
    word: string;
    matched: string;
    via: Alternative['via'];
    fields: Field[];
    weight: number;
    idf: number;
  }[];
  /** Words of the query that nothing in the document answers. */
  missing: string[];
  boosts: {
    pairs: [string, string][];
    subjects: string[];
    /** The folder of the key, where others in it answer the query, too. */
    folder?: string;
  };
  lexical: number;
  /** Nearness of meaning, where vectors are on. */
  vector?: number;
}

const SHOWN_FIELDS = FIELDS.filter((field) => field !== 'labels');

/** For each word of the query, what in the document answers it best. */
export function explain(query: Query, image: Image, document: number): Omit<Why, 'lexical'> {
  const sheet = image.index.sheet(document);
  const fieldsOf = (term: number) =>
    SHOWN_FIELDS.filter((field) => {
      const { start, end } = fieldRange(sheet, field);
      return sheet.subarray(start, end).includes(term);
    }).map((field) => (field === 'compounds' ? 'value' : field));
  const terms: Why['terms'] = [];
  const missing: string[] = [];
  for (const { word, alternatives } of query.terms) {
    const found = alternatives
      .map((alternative) => ({ alternative, fields: [...new Set(fieldsOf(alternative.term))] }))
      .filter(({ fields }) => fields.length > 0)
      .sort((a, b) => b.alternative.weight * b.alternative.idf - a.alternative.weight * a.alternative.idf)[0];
    if (!found) missing.push(word);
    else {
      const { term, via, weight, idf } = found.alternative;
      const matched = image.index.lexicon.term(term);
      terms.push({ word, matched, via, fields: found.fields, weight: round(weight), idf: round(idf) });
    }
  }
  const wordOf = (number: number) => query.terms[number]!.word;
  const neighbourhood = neighbourhoodOf(query);
  neighbourhood.read(sheet, 0);
  const boosts: Why['boosts'] = {
    pairs: neighbourhood.pairs().map(([a, b]) => [wordOf(a), wordOf(b)]),
    subjects: neighbourhood.subjects().map((term) => term.word),
  };
  return { terms, missing, boosts };
}

const round = (number: number) => Math.round(number * 1000) / 1000;
