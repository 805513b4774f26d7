import type { Why } from './explain.ts';

const HOW: Record<Why['terms'][number]['via'], string> = {
  word: '',
  joined: ' (written together or apart)',
  prefix: ' (the beginning or the end of it)',
  spelling: ' (another spelling)',
  meaning: ' (a related word)',
};
const FIELD_NAMES: Partial<Record<Why['terms'][number]['fields'][number], string>> = {
  value: 'text',
  key: 'key',
  tags: 'tags',
  category: 'category',
};
/** From this similarity on, being about the same is worth a word. */
const NEAR = 0.4;

/** Why a document was found, as a sentence for a person. */
export function whySentence({
  terms,
  missing,
  boosts,
  meaning = 0,
  vector = 0,
}: Omit<Why, 'sentence'>): string {
  const parts: string[] = [];
  if (terms.length > 0) parts.push(`it has ${listed(terms.map(nameOf))}`);
  if (missing.length > 0)
    parts.push(`${terms.length > 0 ? 'not' : 'it has none of'} ${listed(missing.map(quoted))}`);
  if (boosts.pairs.length > 0) parts.push('words stand side by side as in the question');
  if (meaning >= NEAR || vector >= NEAR) parts.push('it is about the same as the question');
  if (boosts.folder !== undefined) parts.push(`other facts in ${boosts.folder}/ match, too`);
  if (boosts.project !== undefined) parts.push('it belongs to the project');
  if (boosts.time) parts.push('it is from the time that the question names');
  const text = parts.join('; ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function nameOf({ word, matched, via, fields }: Why['terms'][number]): string {
  const where = listed([...new Set(fields.flatMap((field) => FIELD_NAMES[field] ?? []))]);
  const asked =
    via === 'word' || matched === word ? quoted(word) : `${quoted(matched)} for ${quoted(word)}${HOW[via]}`;
  return where === '' ? asked : `${asked} in its ${where}`;
}

const quoted = (word: string) => `“${word}”`;

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
