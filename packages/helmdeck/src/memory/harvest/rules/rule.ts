/** What a statement is. These are also the categories that proposals of a harvest are filed under. */
export type HarvestCategory = 'preferences' | 'decisions' | 'corrections' | 'facts' | 'commitments';

/** A way in which people say something that is worth remembering. */
export interface HarvestRule {
  /** Shown with each proposal, so that a person can see why it was made. */
  name: string;
  category: HarvestCategory;
  /** How likely a match is worth remembering, from 0 to 1. */
  confidence: number;
  /** Why a sentence like this is worth remembering. */
  reason: string;
  /** Tested on a sentence in lower case; one match is enough. */
  patterns: readonly RegExp[];
  /** The sentence must also name something specific: a name, a number, a path, a day. */
  needsDetail?: true;
  /** About the person and not about what they work on. */
  isPersonal?: true;
}

/** A way in which people say something that only looks like a statement. */
export interface Exclusion {
  name: string;
  reason: string;
  patterns: readonly RegExp[];
  /** A sentence that matches one of these is taken all the same. */
  unless?: readonly RegExp[];
}
