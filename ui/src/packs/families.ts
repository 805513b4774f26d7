import type { Pack, Pipeline } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';

export interface Family {
  label: string;
  packs: Pack[];
}

/** Groups packs by family: the first part of their name. */
export function familiesOf(packs: readonly Pack[]): Family[] {
  const byLabel = new Map<string, Pack[]>();
  for (const pack of packs) {
    const word = pack.name.split('.')[0]!;
    const label = strings.packs.families[word] ?? word;
    byLabel.set(label, [...(byLabel.get(label) ?? []), pack]);
  }
  return [...byLabel].map(([label, members]) => ({ label, packs: members }));
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
