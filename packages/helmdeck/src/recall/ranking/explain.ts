import type { Image } from '../image/image.ts';
import { FIELDS, type Field, fieldRange } from '../index/document-terms.ts';
import { untagged } from '../text/languages/languages.ts';
import { createProximityScorer } from './proximity.ts';
import type { Alternative, Query } from './query.ts';

/** Why a document was found; shown by `explain` on every surface. */
export interface Why {
  terms: {
    word: string;
    matched: string;
    via: Alternative['via'];
    fields: Field[];
    weight: number;
    idf: number;
  }[];
  /** Query words that the document does not match. */
  missing: string[];
  boosts: {
    pairs: [string, string][];
    subjects: string[];
    /** The key's folder, if other documents in it match the query and raised the score. */
    folder?: string;
    /** The preferred project, if it raised the score. */
    project?: string;
    /** It was stored or changed at the time that the query names. */
    time?: true;
  };
  /** All of it for a person to read. */
  sentence: string;
  lexical: number;
  /** How near its words are in meaning to those of the query, from 0 to 1. */
  meaning?: number;
  /** Cosine with the query, if embeddings are on. */
  vector?: number;
}

const SHOWN_FIELDS = FIELDS.filter((field) => field !== 'labels');

/** Finds the best matching alternative of each query word in a document, and its proximity boosts. */
export function explain(
  query: Query,
  image: Image,
  document: number,
): Pick<Why, 'terms' | 'missing' | 'boosts'> {
  const documentTerms = image.index.termsOf(document);
  const fieldsOf = (term: number) =>
    SHOWN_FIELDS.filter((field) => {
      const { start, end } = fieldRange(documentTerms, field);
      return documentTerms.subarray(start, end).includes(term);
    }).map((field) => (field === 'compounds' ? 'value' : field));
  const terms: Why['terms'] = [];
  const missing: string[] = [];
  for (const { word, alternatives, idf } of query.terms) {
    const found = alternatives
      .map((alternative) => ({ alternative, fields: [...new Set(fieldsOf(alternative.term))] }))
      .filter(({ fields }) => fields.length > 0)
      .sort((a, b) => b.alternative.weight * b.alternative.idf - a.alternative.weight * a.alternative.idf)[0];
    if (found) {
      const { term, via, weight, idf } = found.alternative;
      const matched = untagged(image.index.lexicon.term(term));
      terms.push({ word, matched, via, fields: found.fields, weight: round(weight), idf: round(idf) });
    } else if (idf > 0) missing.push(word);
    // Else it could only have added to the score, as the days of a time do.
  }
  const wordOf = (number: number) => query.terms[number]!.word;
  const proximity = createProximityScorer(query);
  proximity.read(documentTerms, 0);
  const boosts: Why['boosts'] = {
    pairs: proximity.pairs().map(([a, b]) => [wordOf(a), wordOf(b)]),
    subjects: proximity.subjects().map((term) => term.word),
  };
  return { terms, missing, boosts };
}

const round = (number: number) => Math.round(number * 1000) / 1000;
