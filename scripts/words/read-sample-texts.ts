import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Texts to refine the vectors of words with: what words mean and how they are used (WordNet), and how people write about
// software (the READMEs of this repository's dependencies).

const PARTS_OF_SPEECH = ['', 'noun', 'verb', 'adj', 'adv', 'adj'];
/** The explanations and examples of the senses that are met most often. */
const MAX_GLOSSES = 22_000;
const DEPENDENCIES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export function readSampleTexts(wordnet: string): string[] {
  return [...new Set([...glosses(wordnet), ...readmeSentences()])];
}

function glosses(folder: string): string[] {
  const uses = new Map<string, number>();
  for (const line of readFileSync(join(folder, 'index.sense'), 'latin1').split('\n')) {
    const [key, offset, , count] = line.split(' ');
    const sense = `${PARTS_OF_SPEECH[Number(key?.split('%')[1]?.[0])]} ${offset}`;
    if (count !== undefined) uses.set(sense, (uses.get(sense) ?? 0) + Number(count));
  }
  const found: { text: string; uses: number }[] = [];
  for (const part of new Set(PARTS_OF_SPEECH.slice(1))) {
    for (const line of readFileSync(join(folder, `data.${part}`), 'latin1').split('\n')) {
      const [head, gloss] = line.split(' | ');
      const [offset, , , words, ...rest] = head!.split(' ');
      const count = uses.get(`${part} ${offset}`) ?? 0;
      if (gloss === undefined || count === 0) continue;
      const names = Array.from({ length: Math.min(3, Number.parseInt(words!, 16)) }, (_, at) =>
        rest[2 * at]!.replace(/_/g, ' ').replace(/\(.*/, ''),
      );
      const [meaning, ...examples] = (gloss.match(/"[^"]*"|[^;"]+/g) ?? [])
        .map((each) => each.replace(/^[\s;"]+|[\s;"]+$/g, ''))
        .filter((each) => each.length > 8);
      if (meaning === undefined) continue;
      const texts = [`${names.join(', ')}: ${meaning}`, ...examples.slice(0, 2)];
      found.push(...texts.map((text) => ({ text, uses: count })));
    }
  }
  return found
    .sort((a, b) => b.uses - a.uses)
    .slice(0, MAX_GLOSSES)
    .map(({ text }) => text);
}

function readmeSentences(): string[] {
  const files = globSync('**/{README,readme}.md', { cwd: DEPENDENCIES }).sort();
  return files.flatMap((file) =>
    plainText(readFileSync(join(DEPENDENCIES, file), 'utf8'))
      .split(/\n|(?<=[.!?])\s+/)
      .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
      .filter((sentence) => {
        const isShort = sentence.length > 25 && sentence.length < 160;
        return isShort && (sentence.match(/[a-z]{3,}/g) ?? []).length >= 4 && !sentence.includes('http');
      }),
  );
}

/** Markdown without code, images, links' addresses and marks. */
const plainText = (markdown: string) =>
  markdown
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\[!\[.*?\)\]\(.*?\)|!\[.*?\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>|[`*#>|]/g, ' ');
