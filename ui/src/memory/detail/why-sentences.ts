import type { Why, WhyTerm } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

const text = strings.why.sentence;

/** Why a fact was found, in sentences: where each word stands, which stand together, and what else counted. */
export function whySentences(why: Why): string[] {
  const words = [...new Set(why.terms.map(({ word }) => word))];
  return [
    ...why.boosts.pairs.map((pair) => text.together(pair.join(' '))),
    ...words.map((word) => wordSentence(why.terms.filter((term) => term.word === word))),
    ...(why.boosts.folder === undefined ? [] : [text.folder(why.boosts.folder)]),
    ...(why.vector === undefined ? [] : [text.meaning(why.vector.toFixed(2))]),
    ...(why.missing.length === 0 ? [] : [text.missing(why.missing)]),
  ];
}

/** `“deploys” is in the key and the text, as “deploy”.` */
function wordSentence(terms: readonly WhyTerm[]): string {
  const { word, matched, via } = terms[0]!;
  const fields = [...new Set(terms.flatMap((term) => term.fields))];
  const places = text.and(fields.map((field) => text.places[field] ?? field));
  const how = via === 'word' && word.startsWith(matched) ? '' : text.how[via](matched);
  return text.word(word, places, how);
}
