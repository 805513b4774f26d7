import type { Pack, Pipeline } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';

export interface Family {
  label: string;
  packs: Pack[];
}

/** Packs under what they are about: the first word of their name. */
export function familiesOf(packs: readonly Pack[]): Family[] {
  const byLabel = new Map<string, Pack[]>();
  for (const pack of packs) {
    const word = pack.name.split('.')[0]!;
    const label = strings.packs.families[word] ?? word;
    byLabel.set(label, [...(byLabel.get(label) ?? []), pack]);
  }
  return [...byLabel].map(([label, members]) => ({ label, packs: members }));
}

/** Every word has to be somewhere in what is known about it. */
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
