import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../properties/screen-corpus');

export interface LabelledText {
  text: string;
  /** The heading that it stands under. */
  family: string;
}

/** One text a line under `# family`; `\n` and `\u200b` are written as escapes. */
export function screenCorpus(name: string): LabelledText[] {
  const texts: LabelledText[] = [];
  let family = '';
  for (const line of readFileSync(join(FOLDER, `${name}.txt`), 'utf8').split('\n')) {
    if (line.startsWith('# ')) family = line.slice(2);
    else if (line) texts.push({ text: unescaped(line), family });
  }
  return texts;
}

function unescaped(line: string): string {
  return line.replace(
    /\\n|\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))/g,
    (_, long?: string, short?: string) =>
      long || short ? String.fromCodePoint(Number.parseInt(long ?? short!, 16)) : '\n',
  );
}

interface RecallSet {
  namespaces: { facts: { key: string; value: string; category?: string; tags?: string[] }[] }[];
}

/** The facts of the recall data sets beside the repository, which are not part of it; none if they are not there. */
export function recallFacts(): string[] {
  const folder = resolve(import.meta.dirname, '../../../shared/recall');
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  const sets = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecallSet);
  return sets.flatMap(({ namespaces }) =>
    namespaces.flatMap(({ facts }) =>
      facts.map(({ key, value, category, tags }) =>
        [value, key, category, ...(tags ?? [])].filter(Boolean).join('\n'),
      ),
    ),
  );
}

/** The paragraphs and list items of `docs/`, without code blocks and tables. */
export function documentationParagraphs(): string[] {
  const folder = resolve(import.meta.dirname, '../../docs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split(/\n\n+|\n- /))
    .filter((text) => text.length > 30 && !/^(?:```|\|)/.test(text));
}
