import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createImage } from '../../packages/helmdeck/src/recall/image/image.ts';
import { searchImage } from '../../packages/helmdeck/src/recall/search.ts';
import { openWordbook } from '../../packages/helmdeck/src/recall/words/wordbook.ts';

// One memory with facts in thirteen languages; two questions about each fact, mostly with other endings. A line: key, value,
// questions.
const FOLDER = new URL('./', import.meta.url);
const sets = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => ({
    language: name.replace('.txt', ''),
    facts: readFileSync(new URL(name, FOLDER), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' | ') as [key: string, value: string, ...questions: string[]]),
  }));

const image = createImage();
for (const { language, facts } of sets) {
  for (const [key, value] of facts) {
    const seq = image.documents.length + 1;
    const row = { kind: 'fact' as const, seq, rev: 1, createdMs: 1, updatedMs: 1, expiresMs: 99 };
    const content = { key: `${language}/${key}`, value, tags: [], category: 'c' };
    image.put({ ...row, id: Buffer.from(String(seq).padStart(16)) }, Buffer.from(JSON.stringify(content)));
  }
}

it.each(sets)('nine of ten questions in $language find their fact among the first five', ({ facts }) => {
  const asked = facts.flatMap(([, value, ...questions]) => questions.map((text) => ({ text, value })));
  expect(asked).toHaveLength(40);
  const found = asked.filter(({ text, value }) =>
    searchImage(image, { text, limit: 5 }, openWordbook(), 10).hits.some(
      (hit) => hit.document.value === value,
    ),
  );
  expect(found.length / asked.length).toBeGreaterThanOrEqual(0.9);
});
