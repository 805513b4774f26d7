import type { Pack, Pipeline } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

export interface Family {
  label: string;
  packs: Pack[];
}

/** Groups packs by family, the first part of their name; families that are not built in come first. */
export function familiesOf(packs: readonly Pack[]): Family[] {
  const byLabel = new Map<string, Pack[]>();
  for (const pack of packs) {
    const word = pack.name.split('.')[0]!;
    const label = strings.packs.families[word] ?? word.slice(0, 1).toUpperCase() + word.slice(1);
    byLabel.set(label, [...(byLabel.get(label) ?? []), pack]);
  }
  const builtIn = Object.values(strings.packs.families);
  return [...byLabel]
    .map(([label, members]) => ({ label, packs: members }))
    .sort((a, b) => Number(builtIn.includes(a.label)) - Number(builtIn.includes(b.label)));
}

/** Whether every word occurs somewhere in the texts. */
export function fits(words: string, texts: readonly (string | undefined)[]): boolean {
  const all = texts.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

export const textsOfPack = ({ name, description, metadata }: Pack) => [
  name,
  description,
  metadata.typical_use,
  ...(metadata.intent_keywords ?? []),
  ...(metadata.produces ?? []),
];

export const textsOfPipeline = ({ id, name, description, metadata, steps }: Pipeline) => [
  id,
  name,
  description,
  ...(metadata.intent_keywords ?? []),
  ...steps.map(({ pack }) => pack),
];
