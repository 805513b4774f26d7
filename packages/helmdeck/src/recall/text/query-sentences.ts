import { proseLines, QUESTION_WORD, SENTENCE_END } from './prose.ts';

/** A sentence of a query, and how much its words count. */
export interface QuerySentence {
  text: string;
  weight: number;
}

/**
 * What is said beside a question is context: it may tell two facts apart, but is not what is asked for. At 0.35 to 0.5
 * questions inside a prompt are found nearly as well as alone; at 1 the rest of the prompt drowns them.
 */
const BESIDE_QUESTION = 0.4;
const QUESTION_END = /[?？؟]["')\]]*\s*$/u;
/** A question that a sentence leads up to: "they asked me something: what was …" */
const QUESTION_CLAUSE =
  /(?:[:;]\s+|\s[–—-]+\s)(?=(?:what|which|who|whose|when|where|why|how) )|,\s+(?=(?:what|who|whose|how|why) )/i;

/**
 * Splits a query of several sentences, such as a whole prompt or a paragraph of dialogue; code and logs in it are left
 * out. A query of one sentence comes back as it is.
 */
export function querySentences(query: string): QuerySentence[] {
  const whole = [{ text: query, weight: 1 }];
  if (!SENTENCE_END.test(query.trim())) return whole;
  const sentences = proseLines(query)
    .flatMap((line) => line.split(SENTENCE_END))
    .flatMap((sentence) => sentence?.split(QUESTION_CLAUSE) ?? [])
    .filter((part) => part.trim() !== '');
  if (sentences.length === 0) return whole;
  const asks = sentences.map((text) => QUESTION_END.test(text) || QUESTION_WORD.test(text));
  const besides = asks.includes(true) ? BESIDE_QUESTION : 1;
  return sentences.map((text, at) => ({ text, weight: asks[at] ? 1 : besides }));
}
