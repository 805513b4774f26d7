// Cues that a text is written to steer a model. A light one says little; several close together are a finding.

import { type Phrase, phrases } from './screen-phrases.ts';

export interface Cue {
  /** The rule that is reported if this is the heaviest cue of a finding. */
  rule: string;
  /** What the cue adds, once however often it occurs. `ENOUGH_WEIGHT` is a finding. */
  weight: number;
  flat: readonly Phrase[];
  raw: readonly RegExp[];
}

export const ENOUGH_WEIGHT = 4;
/** Of cues that name a thing rather than an act. */
export const LIGHT_WEIGHT = 1;
/** Cues further apart than this do not add up. */
export const CUE_WINDOW_CHARACTERS = 320;

/** One cue: a text that meets several of its patterns is not more suspicious for it. */
export function cue(rule: string, weight: number, flat: string, ...raw: RegExp[]): Cue {
  return { rule, weight, flat: phrases(flat), raw };
}

/** A cue for each line. */
export function cues(rule: string, weight: number, flat: string, ...raw: RegExp[]): Cue[] {
  return [
    ...flat
      .split('\n')
      .map((line) => ({ rule, weight, flat: phrases(line), raw: [] }))
      .filter((cue) => cue.flat.length > 0),
    ...raw.map((pattern) => ({ rule, weight, flat: [], raw: [pattern] })),
  ];
}
