// Builds packages/helmdeck/assets/thesaurus.bin: npm run build:thesaurus [-- --vectors <file to cache embeddings in>].
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { embedTexts, readVectors, writeVectors } from './thesaurus/embed-texts.ts';
import { encodeTable } from './thesaurus/encode-table.ts';
import { nearestRows, senseVectors } from './thesaurus/nearest.ts';
import { readVocabulary } from './thesaurus/vocabulary.ts';

const TABLE = fileURLToPath(new URL('../packages/helmdeck/assets/thesaurus.bin', import.meta.url));

const { values } = parseArgs({ options: { vectors: { type: 'string' }, out: { type: 'string' } } });
const startedMs = Date.now();
const log = (line: string) => console.log(`${Math.round((Date.now() - startedMs) / 1000)} s  ${line}`);

const entries = readVocabulary();
const vectorOf = values.vectors ? readVectors(values.vectors) : new Map<string, Float32Array>();
const texts = new Set(entries.flatMap((entry) => entry.senses.flat()));
const missing = [...texts].filter((text) => !vectorOf.has(text));
log(`${entries.length} stems, ${missing.length} texts to embed`);
const embedded = await embedTexts(missing, (done, total) => {
  if (done % 8_000 === 0) log(`${done} of ${total} texts embedded`);
});
for (const [text, vector] of embedded) vectorOf.set(text, vector);
if (values.vectors && missing.length > 0) writeVectors(values.vectors, vectorOf);

const rows = nearestRows(senseVectors(entries, vectorOf), (done) => {
  if (done % 4_000 === 0) log(`${done} senses compared`);
});
const bytes = encodeTable(rows);
writeFileSync(values.out ?? TABLE, bytes);
log(`${rows.size} rows, ${bytes.length} bytes`);
