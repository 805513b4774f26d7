import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createImage } from '../../packages/helmdeck/src/recall/image/image.ts';
import { searchImage } from '../../packages/helmdeck/src/recall/search.ts';
import { openWordbook } from '../../packages/helmdeck/src/recall/words/wordbook.ts';

// One memory with facts in thirteen languages. A line: key, value, questions. Here two questions about each fact, mostly with
// other endings; in `other-forms` ten, also by derived words, parts of compounds, in capitals and without accents.
const FOLDER = new URL('./', import.meta.url);
const setsIn = (folder: URL) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => ({
      language: name.replace('.txt', ''),
      facts: readFileSync(new URL(name, folder), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' | ') as [key: string, value: string, ...questions: string[]]),
    }));
const sets = setsIn(FOLDER);
const otherForms = setsIn(new URL('other-forms/', FOLDER));

const image = createImage();
for (const { language, facts } of [...sets, ...otherForms]) {
  for (const [key, value] of facts) {
    const seq = image.documents.length + 1;
    const row = { kind: 'fact' as const, seq, rev: 1, createdMs: 1, updatedMs: 1, expiresMs: 99 };
    const content = { key: `${language}/${key}`, value, tags: [], category: 'c' };
    image.put({ ...row, id: Buffer.from(String(seq).padStart(16)) }, Buffer.from(JSON.stringify(content)));
  }
}

function shareFound(facts: (typeof sets)[number]['facts'], questionsPerFact: number): number {
  const asked = facts.flatMap(([, value, ...questions]) => questions.map((text) => ({ text, value })));
  expect(asked).toHaveLength(questionsPerFact * facts.length);
  const found = asked.filter(({ text, value }) =>
    searchImage(image, { text, limit: 5 }, openWordbook(), 10).hits.some(
      (hit) => hit.document.value === value,
    ),
  );
  return found.length / asked.length;
}

it.each(sets)('nine of ten questions in $language find their fact among the first five', ({ facts }) => {
  expect(shareFound(facts, 2)).toBeGreaterThanOrEqual(0.9);
});

it.each(otherForms)(
  'nine of ten questions in other forms of the words of facts in $language find them',
  ({ facts }) => {
    expect(shareFound(facts, 10)).toBeGreaterThanOrEqual(0.9);
  },
);
